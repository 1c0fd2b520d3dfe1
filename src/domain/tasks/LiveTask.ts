import { Schema } from "effect"
import { decodeCursor, encodeCursor } from "../kernel/Page.ts"
import { parse, type Timestamp } from "../kernel/Timestamp.ts"

/** A changed task in the live stream: the fields of a list, without arguments, result and traceback. */
export interface LiveTask {
  readonly id: string
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly queue: string | null
  readonly state: string
  readonly priority: string
  readonly retry_count: number
  readonly worker_name: string | null
  readonly received_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly runtime_ms: number | null
  /** Truncated: a list shows one line of it. */
  readonly exception: string | null
  readonly updated_at: Timestamp
  /** Percent of a task that runs and has said it. */
  readonly percent: number | null
}

/** A position in the order of changes. */
export interface ChangePosition {
  readonly updated_at: Timestamp
  readonly id: string
}

/** The `id:` of an event, which a browser sends back as `Last-Event-ID`. */
export const encodeChangePosition = ({ id, updated_at }: ChangePosition): string =>
  encodeCursor("stream", [updated_at, id])

export const decodeChangePosition = (text: string): ChangePosition | null => {
  const [at, id] = decodeCursor("stream", text, 2) ?? []
  const updated_at = at === undefined ? undefined : parse(at)
  return updated_at === undefined || id === undefined || !Schema.is(Schema.UUID)(id) ? null : { updated_at, id }
}
