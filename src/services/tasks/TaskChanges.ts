import { Effect, PubSub, Stream } from "effect"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import type { Timestamp } from "../../domain/kernel/Timestamp.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { Hints } from "../kernel/sql/Database.ts"

/** A task that this process has written. */
export interface TaskChange {
  readonly project_id: ProjectId
  readonly id: string
  readonly engine: string
  readonly task_id: string
  readonly name: string
  readonly state: string
  /** Null when the task was not known before. */
  readonly previous_state: string | null
  readonly updated_at: Timestamp
}

/** Minimum milliseconds between two hints of a project to the other replicas. */
const hintMillis = 200

/**
 * Publishes changed tasks after their commit: to subscribers in this process task by task, and to all replicas as a
 * hint that the project's tasks changed. A slow subscriber loses the oldest changes; the tables have everything.
 */
export class TaskChanges extends Effect.Service<TaskChanges>()("svc/TaskChanges", {
  scoped: Effect.gen(function*() {
    const hints = yield* Hints
    const loops = yield* Loops
    const hub = yield* Effect.acquireRelease(PubSub.sliding<TaskChange>(4096), PubSub.shutdown)
    const changedProjectIds = new Set<ProjectId>()
    let wake: (() => void) | null = null
    let subscribers = 0

    const awaitChange = Effect.async<void>((resume) => {
      if (changedProjectIds.size > 0) return resume(Effect.void)
      wake = () => resume(Effect.void)
    })
    const publishHints = Effect.gen(function*() {
      yield* awaitChange
      wake = null
      const projects = [...changedProjectIds]
      changedProjectIds.clear()
      yield* Effect.forEach(projects, (id) => hints.publish("tasks", id), { discard: true })
      yield* Effect.sleep(hintMillis)
    })
    yield* loops.forever("task hints", publishHints)

    return {
      /** `changes` is called only when there are subscribers. */
      publish: (projectIds: Iterable<ProjectId>, changes: () => Iterable<TaskChange>): Effect.Effect<void> =>
        Effect.suspend(() => {
          for (const id of projectIds) changedProjectIds.add(id)
          if (changedProjectIds.size > 0) wake?.()
          // `unsafeOffer` does not slide: one slow subscriber would keep the newest changes from all others
          return subscribers === 0 ? Effect.void : Effect.asVoid(PubSub.publishAll(hub, changes()))
        }),
      changes: Stream.unwrapScoped(Effect.acquireRelease(
        Effect.sync(() => {
          subscribers++
          return Stream.fromPubSub(hub)
        }),
        () => Effect.sync(() => subscribers--)
      ))
    } as const
  })
}) {
  static readonly layer = this.Default
}
