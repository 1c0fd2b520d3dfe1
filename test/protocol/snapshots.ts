import { createHash } from "node:crypto"
import {
  asString,
  canonicalize,
  type JsonInput,
  type JsonNode,
  JsonObject,
  parse,
  toValue
} from "../../src/domain/kernel/CanonicalJson.ts"

export interface Snapshot {
  readonly reason: string
  readonly sequence: number
  readonly epoch: { readonly [field: string]: unknown }
  readonly rows: ReadonlyArray<{ readonly [field: string]: unknown }>
  /** Frames with rows. */
  readonly frames: number
}

/** The one row that a `schedule.external.control` changed. */
export interface Control {
  readonly sequence: number
  readonly operation: string
  readonly row: { readonly [field: string]: unknown }
}

type Row = Snapshot["rows"][number]

/** As it is on the wire. */
interface Frame {
  readonly owner: string
  readonly sequence: number
  readonly frame_kind: string
  readonly frame_index: number
  readonly frame_count: number
  readonly row_count: number
  readonly snapshot_digest: string
  readonly schedules: ReadonlyArray<Row>
  readonly [field: string]: unknown
}

// The cast: what was parsed is JSON.
const textOf = (value: unknown): string => canonicalize(value as JsonInput)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const demand = (holds: boolean, what: string) => {
  if (!holds) throw new Error(`the brain refuses the snapshot: ${what}`)
}

/**
 * Schedules as a brain takes them from events (agents' protocol, section 6.3), written from that text and with nothing
 * of the code that publishes: it throws where a frame is not in its place or a digest does not agree.
 */
export class SnapshotReader {
  readonly snapshots: Array<Snapshot> = []
  readonly controls: Array<Control> = []
  private frames: Array<Frame> = []

  /** An event of a batch; those of other kinds are passed over. */
  take(node: JsonNode): void {
    if (!(node instanceof JsonObject)) return
    if (asString(node.get("kind")) === "schedule.updated") return this.takeControl(node)
    if (asString(node.get("kind")) !== "schedule.snapshot") return
    const data = node.get("data")
    const frameNode = data instanceof JsonObject ? data.get("external_snapshot_frame") : undefined
    if (!(data instanceof JsonObject) || !(frameNode instanceof JsonObject)) throw new Error("no frame")
    const memberText = (name: string, from = node) => asString(from.get(name))
    demand(sha256(frameNode.text) === memberText("frame_digest", data), "the frame's digest")
    // The cast: the declared type; the checks below read all that they use.
    const frame = toValue(frameNode) as unknown as Frame
    demand(memberText("task_id") === "" && memberText("engine") === frame.owner, "whose it is")
    const first = this.frames[0] ?? frame
    const { frame_index, frame_kind, schedules, ...head } = frame
    const { frame_index: _index, frame_kind: _kind, schedules: _rows, ...firstHead } = first
    demand(textOf(head) === textOf(firstHead), "frames of two snapshots")
    demand(frame_index === this.frames.length, `frame ${frame_index} after ${this.frames.length}`)
    demand(frame_kind === (frame_index === head.frame_count ? "terminal" : "rows"), "its kind")
    const bytes = schedules.reduce((sum, row) => sum + Buffer.byteLength(textOf(row)), 0)
    demand(bytes <= 736 * 1024, "its size")
    this.frames.push(frame)
    if (frame_kind === "terminal") this.finish(memberText("reason", data) ?? "", first)
  }

  private takeControl(node: JsonObject): void {
    const data = node.get("data")
    const body = data instanceof JsonObject ? data.get("external_projection") : undefined
    if (!(data instanceof JsonObject) || !(body instanceof JsonObject)) throw new Error("no projection")
    demand(sha256(body.text) === asString(data.get("payload_digest")), "the projection's digest")
    demand(asString(data.get("reason")) === "external-control", "its reason")
    // The cast: the declared type; the checks below read all that they use.
    const { owner, operation_id, schedules, sequence, ...rest } = toValue(body) as unknown as Frame & {
      readonly operation_id: string
    }
    demand(asString(node.get("engine")) === owner && asString(node.get("task_id")) === "", "whose it is")
    const [row] = schedules
    demand(row !== undefined && schedules.length === 1, "one row")
    const fixed = {
      kind: rest.kind,
      complete: rest.complete,
      stable: rest.stable_source,
      version: rest.protocol_version
    }
    demand(textOf(fixed) === `{"complete":false,"kind":"control","stable":true,"version":1}`, "a control")
    demand(textOf(rest.deleted_source_keys) === "[]", "no deletion")
    this.controls.push({ sequence, operation: operation_id, row: row ?? {} })
  }

  private finish(reason: string, first: Frame): void {
    const {
      adapter_instance_id,
      epoch_number,
      epoch_uuid,
      owner,
      row_count,
      sequence,
      snapshot_digest,
      source_scope,
      stream_id
    } = first
    const rows = this.frames.flatMap(({ schedules }) => schedules)
    const epoch = { adapter_instance_id, epoch_number, epoch_uuid, owner, source_scope, stream_id }
    const body = {
      ...epoch,
      sequence,
      protocol_version: 1,
      kind: "snapshot",
      complete: true,
      stable_source: true,
      operation_id: null,
      schedules: rows,
      deleted_source_keys: []
    }
    demand(rows.length === row_count, "the number of its rows")
    demand(sha256(textOf(body)) === snapshot_digest, "its digest")
    const keys = rows.map(({ source_key }) => source_key)
    demand(new Set(keys).size === keys.length, "a key twice")
    this.snapshots.push({ reason, sequence, epoch, rows, frames: this.frames.length - 1 })
    this.frames = []
  }
}

/** What a brain sends to have a scheduler's schedules published. */
export const activation = (scheduler: string, more: { readonly [parameter: string]: unknown } = {}) => ({
  owner: scheduler,
  scheduler,
  source_scope: `{"kind":"scheduler-owner","owner":"${scheduler}","version":1}`,
  stream_id: "55555555-5555-4555-8555-555555555555",
  epoch_uuid: "66666666-6666-4666-8666-666666666666",
  epoch_number: 1,
  adapter_instance_id: "ad-1",
  stable_source: true,
  ...more
})

/** The event's text as the node that a brain reads. */
export const nodeOf = (text: string): JsonNode => {
  const node = parse(text)
  if (!(node instanceof JsonObject)) throw new Error("no event")
  return node
}
