/**
 * What an agent publishes of an engine's own schedules, read and verified (agents' protocol, sections 6.3 and 6.4): the
 * frames of snapshots, and single changes. Pure.
 */
import { createHash } from "node:crypto"
import {
  asInt,
  asString,
  canonicalize,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse
} from "../domain/kernel/CanonicalJson.ts"
import { compareCodePoints } from "../domain/kernel/CanonicalJson/Shape.ts"
import type { AgentEvent, EventData } from "../domain/kernel/TaskEvent.ts"
import type { Timestamp } from "../domain/kernel/Timestamp.ts"
import {
  digestOf,
  type Epoch,
  type ExternalSchedule,
  isSameEpoch,
  type Publication,
  readExternalSchedule,
  sourceScopeOf
} from "../domain/schedules/Schedule/External.ts"

/** Schedules of one scheduler. */
export const MAX_SNAPSHOT_ROWS = 10_000
/** Bytes of the rows of one snapshot. */
export const MAX_SNAPSHOT_BYTES = 32 * 1024 * 1024

/** Rows that are read between two turns of the event loop; each takes about 20 µs. */
const ROWS_PER_TURN = 100

/** Why a publication is refused as a whole. A closed set, for the label of a metric. */
export type PublicationReason =
  | "bad_frame"
  | "bad_digest"
  | "bad_row"
  | "duplicate_key"
  | "too_large"
  | "overload"
  | "failed"

export class PublicationRefused {
  constructor(readonly reason: PublicationReason, readonly detail: string) {}
}

/** What all frames of a snapshot say. */
interface SnapshotHead {
  readonly epoch: Epoch
  readonly sequence: number
  readonly snapshotId: string
  readonly frameCount: number
  readonly rowCount: number
  readonly digest: string
}

export interface SnapshotPart extends SnapshotHead {
  /** `frameCount` for the terminal one, which has no rows. */
  readonly index: number
  /**
   * The rows as a JSON array in memory of its own: nodes would keep the agent's whole message alive, whatever else it
   * holds.
   */
  readonly rows: Buffer
}

const badFrame = (detail: string) => new PublicationRefused("bad_frame", detail)

/** The members of an event's data as nodes; an absent one is undefined. */
const memberOf = (data: EventData, name: string): JsonNode | undefined => {
  if (data instanceof JsonObject) return data.get(name)
  let text: string | undefined
  data.forEach((json, field) => {
    if (field === name) text = json
  })
  const node = text === undefined ? undefined : parse(text)
  return typeof node === "string" || node instanceof JsonObject ? node : undefined
}

/** The object in `data` whose SHA-256 is in `data` too. */
const readSigned = (data: EventData, name: string, digestName: string): JsonObject | PublicationRefused => {
  const node = memberOf(data, name)
  if (!(node instanceof JsonObject)) return badFrame(`It has no ${name}.`)
  return digestOf(node) === asString(memberOf(data, digestName))
    ? node
    : new PublicationRefused("bad_digest", `The ${digestName} is not the SHA-256 of the ${name}.`)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MAX_ID_LENGTH = 64
const MAX_INSTANCE_LENGTH = 200

/** The epoch and sequence of a publication of protocol version 1. */
const readEpoch = (node: JsonObject): { readonly epoch: Epoch; readonly sequence: number } | PublicationRefused => {
  const owner = asString(node.get("owner"))
  const [stream_id, epoch_uuid] = [asString(node.get("stream_id")), asString(node.get("epoch_uuid"))]
  const [epoch_number, sequence] = [asInt(node.get("epoch_number")), asInt(node.get("sequence"))]
  const adapter_instance_id = asString(node.get("adapter_instance_id"))
  const source_scope = asString(node.get("source_scope"))
  const isWhole = asInt(node.get("protocol_version")) === 1 && node.get("stable_source") === "true" &&
    owner !== undefined && source_scope === sourceScopeOf(owner) &&
    stream_id !== undefined && UUID.test(stream_id) && epoch_uuid !== undefined && UUID.test(epoch_uuid) &&
    epoch_number !== undefined && epoch_number > 0 && sequence !== undefined && sequence > 0 &&
    adapter_instance_id !== undefined && adapter_instance_id.length <= MAX_INSTANCE_LENGTH
  if (!isWhole) return badFrame("Its epoch or sequence is not valid.")
  return { epoch: { stream_id, epoch_uuid, epoch_number, owner, source_scope, adapter_instance_id }, sequence }
}

/** One frame of a snapshot, from the data of an event `schedule.snapshot`. */
export const readSnapshotPart = (data: EventData): SnapshotPart | PublicationRefused => {
  const node = readSigned(data, "external_snapshot_frame", "frame_digest")
  if (node instanceof PublicationRefused) return node
  const head = readEpoch(node)
  if (head instanceof PublicationRefused) return head
  const snapshotId = asString(node.get("snapshot_id"))
  const digest = asString(node.get("snapshot_digest"))
  const [index, frameCount, rowCount] = [
    asInt(node.get("frame_index")),
    asInt(node.get("frame_count")),
    asInt(node.get("row_count"))
  ]
  const rows = node.get("schedules")
  const isWhole = snapshotId !== undefined && snapshotId.length <= MAX_ID_LENGTH && digest !== undefined &&
    index !== undefined && frameCount !== undefined && rowCount !== undefined && rowCount >= 0 &&
    index >= 0 && index <= frameCount && rows instanceof JsonArray
  if (!isWhole) return badFrame("A frame lacks a field, or a field of it is not valid.")
  if (rowCount > MAX_SNAPSHOT_ROWS || frameCount > MAX_SNAPSHOT_ROWS) {
    return new PublicationRefused(
      "too_large",
      `It has more than the ${MAX_SNAPSHOT_ROWS} schedules that the brain accepts of one scheduler.`
    )
  }
  const isTerminal = asString(node.get("frame_kind")) === "terminal"
  if (isTerminal !== (index === frameCount) || isTerminal !== (rows.items.length === 0) || frameCount > rowCount) {
    return badFrame("A frame is not of the kind that its place demands.")
  }
  return { ...head, snapshotId, digest, index, frameCount, rowCount, rows: Buffer.from(rows.text) }
}

/** The frames of one snapshot, in any order; a repeated frame changes nothing. */
export class SnapshotAssembly {
  private readonly parts = new Map<number, SnapshotPart>()
  bytes = 0

  /** `beganAt`: epoch milliseconds. `observedAt`: when the agent read the schedules, by its clock. */
  constructor(
    readonly head: SnapshotHead,
    readonly sessionId: string,
    readonly beganAt: number,
    readonly observedAt: Timestamp
  ) {}

  /** Whether the frame is of this snapshot. */
  includes({ digest, epoch, frameCount, rowCount, sequence, snapshotId }: SnapshotPart): boolean {
    const { head } = this
    return snapshotId === head.snapshotId && sequence === head.sequence && digest === head.digest &&
      frameCount === head.frameCount && rowCount === head.rowCount && isSameEpoch(epoch, head.epoch)
  }

  add(part: SnapshotPart): void {
    if (this.parts.has(part.index)) return
    this.parts.set(part.index, part)
    this.bytes += part.rows.length
  }

  get isComplete(): boolean {
    return this.parts.size === this.head.frameCount + 1
  }

  /** The rows in the order of their frames, read frame by frame. */
  *rows(): Generator<void, ReadonlyArray<JsonNode>, void> {
    const rows: Array<JsonNode> = []
    for (const part of [...this.parts.values()].sort((left, right) => left.index - right.index)) {
      const node = parse(part.rows.toString())
      if (node instanceof JsonArray) rows.push(...node.items)
      yield
    }
    return rows
  }
}

/** Reads a complete snapshot in pieces; the caller yields to the event loop between them. */
export function* verifySnapshot(
  assembly: SnapshotAssembly
): Generator<void, Publication | PublicationRefused, void> {
  const { digest, epoch, rowCount, sequence } = assembly.head
  const rows = yield* assembly.rows()
  if (rows.length !== rowCount) return badFrame("It has another number of schedules than it says.")
  const schedules = yield* readRows(rows, epoch.owner)
  if (schedules instanceof PublicationRefused) return schedules
  const sorted = schedules.toSorted((left, right) => compareCodePoints(left.source_key, right.source_key))
  // in pieces: the whole text of many schedules would be as long again as all frames
  const [head, tail] = bodyOf({ ...epoch, sequence, kind: "snapshot", complete: true, operation_id: null })
  const hash = createHash("sha256").update(head)
  for (const [index, { projection }] of sorted.entries()) {
    hash.update(index === 0 ? projection : `,${projection}`)
    if (index % ROWS_PER_TURN === 0) yield
  }
  if (hash.update(tail).digest("hex") !== digest) {
    return new PublicationRefused("bad_digest", "The snapshot_digest is not the SHA-256 of the snapshot.")
  }
  return {
    epoch,
    sequence,
    digest,
    observedAt: assembly.observedAt,
    isComplete: true,
    operationId: null,
    schedules: sorted,
    deletedSourceKeys: []
  }
}

/** The canonical text of a publication's body before and after its schedules. */
const bodyOf = (fields: Epoch & { readonly [field: string]: string | number | boolean | null }) => {
  const text = canonicalize({
    ...fields,
    protocol_version: 1,
    stable_source: true,
    schedules: [],
    deleted_source_keys: []
  })
  const start = text.lastIndexOf("\"schedules\":[") + "\"schedules\":[".length
  return [text.slice(0, start), text.slice(start)] as const
}

function* readRows(
  rows: ReadonlyArray<JsonNode>,
  owner: string
): Generator<void, ReadonlyArray<ExternalSchedule> | PublicationRefused, void> {
  const schedules: Array<ExternalSchedule> = []
  const keys = new Set<string>()
  for (const row of rows) {
    const schedule = readExternalSchedule(row, owner)
    if (typeof schedule === "string") return new PublicationRefused("bad_row", schedule)
    if (keys.has(schedule.source_key)) {
      return new PublicationRefused("duplicate_key", "Two schedules have the same source_key.")
    }
    keys.add(schedule.source_key)
    schedules.push(schedule)
    if (schedules.length % ROWS_PER_TURN === 0) yield
  }
  return schedules
}

/** Changes of single schedules, from the data of an event `schedule.updated`. */
export function* readUpdate(
  { data, occurredAt }: Pick<AgentEvent, "data" | "occurredAt">
): Generator<void, Publication | PublicationRefused, void> {
  const node = readSigned(data, "external_projection", "payload_digest")
  if (node instanceof PublicationRefused) return node
  const head = readEpoch(node)
  if (head instanceof PublicationRefused) return head
  const [rows, deleted] = [node.get("schedules"), node.get("deleted_source_keys")]
  const operationId = asString(node.get("operation_id")) ?? null
  const isWhole = node.get("complete") === "false" && rows instanceof JsonArray && deleted instanceof JsonArray &&
    rows.items.length + deleted.items.length <= MAX_SNAPSHOT_ROWS &&
    (operationId === null || UUID.test(operationId))
  if (!isWhole) return badFrame("A field of the projection is not valid.")
  const deletedSourceKeys = deleted.items.map(asString)
  if (!deletedSourceKeys.every((key) => key !== undefined)) return badFrame("A deleted source_key is no string.")
  const schedules = yield* readRows(rows.items, head.epoch.owner)
  if (schedules instanceof PublicationRefused) return schedules
  return {
    ...head,
    digest: digestOf(node),
    observedAt: occurredAt,
    isComplete: false,
    operationId,
    schedules,
    deletedSourceKeys
  }
}
