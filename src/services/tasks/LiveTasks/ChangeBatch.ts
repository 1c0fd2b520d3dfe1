import type { Timestamp } from "../../../domain/kernel/Timestamp.ts"
import { type ChangePosition, encodeChangePosition, type LiveTask } from "../../../domain/tasks/LiveTask.ts"
import * as Ids from "../../kernel/Ids.ts"

/** A changed task, or `reset`: changes were left out, and the client loads the list again. */
export type LiveMessage =
  | { readonly kind: "task"; readonly id: string; readonly task: LiveTask }
  | { readonly kind: "reset"; readonly id: string }

const renderEvent = (message: LiveMessage): string =>
  message.kind === "task"
    ? `id: ${message.id}\nevent: task\ndata: ${JSON.stringify(message.task)}\n\n`
    : `id: ${message.id}\nevent: reset\ndata: {}\n\n`

/** An empty batch. It is an event, because an EventSource passes no comment on to its page. */
const heartbeat = new TextEncoder().encode("event: heartbeat\ndata: {}\n\n")

const laterPosition = (one: ChangePosition, other: ChangePosition): ChangePosition =>
  one.updated_at > other.updated_at || (one.updated_at === other.updated_at && one.id > other.id) ? one : other

/** Where a client continues: not after `commitHorizon`, since changes with later times may still be committed. */
export const resumePosition = (position: ChangePosition, commitHorizon: Timestamp | null): ChangePosition =>
  commitHorizon === null || position.updated_at < commitHorizon
    ? position
    : { updated_at: commitHorizon, id: Ids.minId }

/** The changes of one refresh: the same object for every subscriber of the project. */
export class ChangeBatch {
  readonly messages: ReadonlyArray<LiveMessage>
  /** Counts the batches of a feed from 1; a subscriber that misses a number was too slow. */
  readonly number: number
  /** Changes up to here were in earlier batches. */
  readonly from: ChangePosition
  /** As of `resumePosition`. */
  readonly commitHorizon: Timestamp | null
  private cachedBytes: Uint8Array | null = null

  constructor(
    messages: ReadonlyArray<LiveMessage>,
    number: number,
    from: ChangePosition,
    commitHorizon: Timestamp | null
  ) {
    this.messages = messages
    this.number = number
    this.from = from
    this.commitHorizon = commitHorizon
  }

  /** A task that was committed late has the id of `from`, so that a client never resumes at an earlier position. */
  static tasks(
    tasks: ReadonlyArray<LiveTask>,
    number: number,
    from: ChangePosition,
    commitHorizon: Timestamp | null
  ): ChangeBatch {
    const idOf = (task: LiveTask) => encodeChangePosition(resumePosition(laterPosition(task, from), commitHorizon))
    return new ChangeBatch(tasks.map((task) => ({ kind: "task", id: idOf(task), task })), number, from, commitHorizon)
  }

  static reset(position: ChangePosition, number: number, commitHorizon: Timestamp | null): ChangeBatch {
    const id = encodeChangePosition(resumePosition(position, commitHorizon))
    return new ChangeBatch([{ kind: "reset", id }], number, position, commitHorizon)
  }

  /** The server-sent events, rendered on first use and once for all streams. */
  get encoded(): Uint8Array {
    return this.cachedBytes ??= this.messages.length === 0
      ? heartbeat
      : new TextEncoder().encode(this.messages.map(renderEvent).join(""))
  }

  /** Without the tasks that a subscriber already has in the same state; `sentTimes` has the time of each by id. */
  without(sentTimes: ReadonlyMap<string, string>): ChangeBatch {
    const rest = this.messages.filter((message) =>
      message.kind === "reset" || sentTimes.get(message.task.id) !== message.task.updated_at
    )
    return rest.length === this.messages.length
      ? this
      : new ChangeBatch(rest, this.number, this.from, this.commitHorizon)
  }
}
