import { Cause, Exit } from "effect"
import type { JsonInput } from "../../../domain/kernel/CanonicalJson.ts"
import type { EngineEvent } from "../../runtime/Engine.ts"
import type { ElementEnd } from "./Records.ts"

/** Data of every event of a task. A type, not an interface: it must fit the index signature of an event's data. */
export type TaskData = {
  readonly task_name: string
  readonly queue: string
  readonly worker: string | null
  readonly args: ReadonlyArray<JsonInput>
  readonly kwargs: { readonly [name: string]: JsonInput | undefined }
  readonly parent_task_id: string | null
  readonly root_task_id: string | null
}

/** `stopped`: the worker was interrupted. */
type AttemptEnd = Exit.Exit<unknown, unknown> | "cancelled" | "stopped"

const STOPPED_REASON = "the worker stopped, and the task went back into the queue"

/** One attempt at a task, and its events. */
export class Attempt {
  private startedAt: number
  private end: AttemptEnd = "stopped"
  private endedAt: number | null = null

  /** `number` counts from 1. */
  constructor(
    readonly taskId: string,
    readonly data: TaskData,
    readonly number: number,
    private readonly isLast: boolean,
    now: number
  ) {
    this.startedAt = now
  }

  start(now: number): EngineEvent {
    this.startedAt = now
    return this.event("task.started", now, {})
  }

  finish(end: AttemptEnd, now: number): void {
    this.end = end
    this.endedAt = now
  }

  /** Whether the handler succeeded, so that the store completes the element. */
  get isDone(): boolean {
    return this.end === "cancelled" || (this.end !== "stopped" && Exit.isSuccess(this.end))
  }

  /** How the element left its worker, and the event that says so. */
  outcome(now: number): { readonly elementEnd: ElementEnd; readonly event: EngineEvent } {
    const { end } = this
    const at = this.endedAt ?? now
    if (end === "cancelled") {
      return { elementEnd: { as: "cancelled" }, event: this.event("task.revoked", at, { terminated: true }) }
    }
    if (end === "stopped" || (Exit.isFailure(end) && Cause.isInterruptedOnly(end.cause))) {
      // the store counts no attempt then
      return {
        elementEnd: { as: "again", attempts: this.number - 1, failure: STOPPED_REASON },
        event: this.event("task.retried", at, { reason: STOPPED_REASON })
      }
    }
    if (Exit.isSuccess(end)) {
      // The cast: the runtime encodes any value of a handler, by its rules for values that JSON does not have.
      const result = (end.value === undefined ? null : end.value) as JsonInput
      return { elementEnd: { as: "success" }, event: this.event("task.succeeded", at, { result }) }
    }
    const failure = failureDataOf(end.cause)
    const how = { attempts: this.number, failure: failure.traceback }
    return this.isLast
      ? { elementEnd: { as: "failure", ...how }, event: this.event("task.failed", at, failure) }
      : { elementEnd: { as: "again", ...how }, event: this.event("task.retried", at, failure) }
  }

  private event(kind: EngineEvent["kind"], at: number, more: { readonly [field: string]: JsonInput }): EngineEvent {
    const ended = kind === "task.started" ? {} : { runtime_ms: Math.max(0, Math.round(at - this.startedAt)) }
    return {
      kind,
      taskId: this.taskId,
      occurredAt: at,
      data: { ...this.data, attempt: this.number, ...ended, ...more }
    }
  }
}

const failureDataOf = (cause: Cause.Cause<unknown>) => {
  const [error] = Cause.prettyErrors(cause)
  const traceback = Cause.pretty(cause)
  return { exception: error?.name ?? "Error", exception_message: error?.message ?? traceback, traceback }
}
