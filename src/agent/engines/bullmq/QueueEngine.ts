import type { Effect } from "effect"
import type { ActionFailed, Engine, WorkerInventory } from "../../runtime/Engine.ts"
import { listDeadLetters } from "./DeadLetters.ts"
import type { EngineContext } from "./EngineContext.ts"
import { inventoryOf } from "./Inventory.ts"
import { purgeQueue } from "./Purge.ts"
import { cancelTask, rateLimit, requeueDeadLetter, retryTask, setPaused, submitTask } from "./QueueActions.ts"
import { reconcile } from "./Reconcile.ts"
import { schedulerOf } from "./Schedules.ts"
import { sourceOf } from "./Source.ts"

/** What both adapters do with nothing but queues. Each starts in its own way, knows its workers and cancels what they run. */
export const queueEngine = (
  context: EngineContext,
  workers: Effect.Effect<ReadonlyArray<WorkerInventory>, ActionFailed>,
  cancelRunning: Parameters<typeof cancelTask>[1]
) =>
  ({
    name: "bullmq",
    retriesByReference: true,
    inventory: inventoryOf(context, workers),
    source: sourceOf(context),
    reconcile: reconcile(context),
    scheduler: schedulerOf(context),
    actions: {
      submit_task: submitTask(context),
      retry_task: retryTask(context),
      cancel_task: cancelTask(context, cancelRunning),
      purge_queue: purgeQueue(context),
      pause_queue: setPaused(context, true),
      resume_queue: setPaused(context, false),
      rate_limit: rateLimit(context),
      requeue_dead_letter: requeueDeadLetter(context),
      list_dead_letters: listDeadLetters(context)
    }
  }) satisfies Omit<Engine, "start">
