/**
 * Snapshots of an engine's own schedules (agents' protocol, section 6.3): their frames on the wire, and their digests.
 * Pure.
 */
import { createHash } from "node:crypto"
import { canonicalize, CanonicalText, type JsonInput } from "../domain/kernel/CanonicalJson.ts"
import { compareCodePoints } from "../domain/kernel/CanonicalJson/Shape.ts"
import type { Epoch } from "../domain/schedules/Schedule/External.ts"

/** Maximum bytes of all rows in one frame. */
export const MAX_ROW_BYTES = 736 * 1024

/** A published schedule. */
export type ScheduleRow = {
  /** The id in commands; unique within its scheduler. */
  readonly source_key: string
  readonly engine: string
  readonly scheduler: string
  readonly name: string
  readonly task_name: string
  readonly kind: "cron" | "interval" | "solar" | "clocked"
  /** A cron pattern, seconds (`30.0`), the event of a solar one, the moment of a clocked one. */
  readonly expression: string
  readonly timezone: string
  readonly queue: string | null
  readonly priority: "normal"
  readonly args: JsonInput
  readonly kwargs: JsonInput
  readonly is_enabled: boolean
  /** ISO 8601 with microseconds and `+00:00`. */
  readonly last_run_at: string | null
  readonly next_run_at: string | null
  readonly total_runs: number
  readonly external_id: string
  readonly catch_up: string
  readonly source: string
  readonly source_hash: string | null
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

export interface SnapshotFrame {
  readonly frame: CanonicalText
  readonly frame_digest: string
}

/**
 * A snapshot's frames in the order in which they are sent: rows, sorted by `source_key`, as many as fit into
 * `mostBytes` each (a longer one has its own frame), then the terminal one.
 */
export const buildSnapshot = (
  epoch: Epoch,
  sequence: number,
  snapshotId: string,
  rows: ReadonlyArray<ScheduleRow>,
  maxBytes: number = MAX_ROW_BYTES
): ReadonlyArray<SnapshotFrame> => {
  const sorted = rows.toSorted((left, right) => compareCodePoints(left.source_key, right.source_key))
  const texts = sorted.map((row) => new CanonicalText(canonicalize(row)))
  const packed = pack(texts, maxBytes)
  const head = { ...epoch, protocol_version: 1, sequence, stable_source: true }
  const snapshot_digest = sha256(canonicalize({
    ...head,
    kind: "snapshot",
    complete: true,
    operation_id: null,
    schedules: texts,
    deleted_source_keys: []
  }))
  return [...packed, []].map((schedules, frame_index) => {
    const frame = canonicalize({
      ...head,
      snapshot_id: snapshotId,
      frame_kind: frame_index < packed.length ? "rows" : "terminal",
      frame_index,
      frame_count: packed.length,
      row_count: texts.length,
      snapshot_digest,
      schedules
    })
    return { frame: new CanonicalText(frame), frame_digest: sha256(frame) }
  })
}

/** The event's data for the one row that `schedule.external.control` changed (section 6.4), and its digest. */
export const buildControl = (
  epoch: Epoch,
  sequence: number,
  operation_id: string,
  row: ScheduleRow
): { readonly external_projection: CanonicalText; readonly payload_digest: string; readonly reason: string } => {
  const body = canonicalize({
    ...epoch,
    protocol_version: 1,
    sequence,
    stable_source: true,
    kind: "control",
    complete: false,
    operation_id,
    schedules: [row],
    deleted_source_keys: []
  })
  return {
    external_projection: new CanonicalText(body),
    payload_digest: sha256(body),
    reason: "external-control"
  }
}

const pack = (rows: ReadonlyArray<CanonicalText>, maxBytes: number): ReadonlyArray<ReadonlyArray<CanonicalText>> => {
  const frames: Array<Array<CanonicalText>> = []
  let bytesLeft = 0
  for (const row of rows) {
    const bytes = Buffer.byteLength(row.text) + 1
    const last = frames.at(-1)
    if (last === undefined || bytes > bytesLeft) {
      frames.push([row])
      bytesLeft = maxBytes - bytes
    } else {
      last.push(row)
      bytesLeft -= bytes
    }
  }
  return frames
}
