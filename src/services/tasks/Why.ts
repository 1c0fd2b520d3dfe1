import { Effect, Layer } from "effect"
import { NotFound } from "../../domain/kernel/Errors.ts"
import type { TaskKey } from "../../domain/kernel/TaskKey.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { isActiveOn } from "../../domain/tasks/Task/Outcome.ts"
import { explainTask } from "../../domain/tasks/Task/Why.ts"
import type { TaskWhy as Explanation } from "../../domain/tasks/Task/WhyResponse.ts"
import { makeQueuePauses, pauseOf } from "../agents/Queues/Pauses.ts"
import { WorkersRepo } from "../agents/Workers/Repo.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { makeTaskWhyRepo, type WhyTask } from "./WhyRepo.ts"

/** An agent reads the list up to 2 s before its heartbeat, on its way it may take as long, and the clocks differ. */
const listSeconds = 5

/** Gathers what the brain knows of a task and its surroundings, and explains why it is not running. */
export class TaskWhy extends Effect.Service<TaskWhy>()("svc/tasks/Why", {
  effect: Effect.gen(function*() {
    const repo = yield* makeTaskWhyRepo
    const workersRepo = yield* WorkersRepo
    const pauses = yield* makeQueuePauses

    /**
     * Whether the task's worker lists it, from a report after its start; null where nothing lists it. A list without it
     * proves nothing if it may have been read before the start.
     */
    const isListedNow = Effect.fnUntraced(function*({ engine, started_at, task_id, worker_name }: WhyTask) {
      const project = yield* CurrentProject
      if (worker_name === null || started_at === null) return null
      const workers = yield* workersRepo.listActivity(project.id, [worker_name])
      const worker = workers.find((row) => row.engine === engine)
      if (worker === undefined || worker.active === null) return null
      if (worker.described_at === null || worker.described_at <= started_at) return null
      if (isActiveOn(task_id, { name: worker_name, activeTaskIds: worker.active, silentSince: null })) return true
      return worker.described_at > Timestamp.addSeconds(started_at, listSeconds) ? false : null
    })

    const explain = Effect.fn("TaskWhy.explain")(function*(key: TaskKey) {
      const project = yield* CurrentProject
      const isKey = isStorable(key.engine) && isStorable(key.task_id)
      const task = isKey ? yield* repo.findTask(project.id, key) : undefined
      if (task === undefined) return yield* new NotFound({ resource: "task" })
      const now = yield* Timestamp.now
      const { engine, queue, state } = task
      const [agents, workers, children, controls, openCommands, orphaned, question] = yield* Effect.all([
        repo.readAgents(project.id, engine),
        repo.listWorkers(project.id, engine),
        repo.listOpenChildren(project.id, task),
        repo.listControls(project.id, engine),
        repo.listOpenCommands(project.id, key),
        repo.findOrphan(project.id, task),
        repo.findQuestion(project.id, key)
      ])
      const queueRow = queue === null ? null : yield* repo.findQueue(project.id, engine, queue)
      const stored = (yield* pauses.list(project.id, now)).pauses.find((pause) =>
        pause.engine === engine && pause.queue === queue
      )
      const reasons = explainTask({
        now,
        task,
        agents,
        workers,
        isListed: yield* isListedNow(task),
        queue: queueRow,
        pause: pauseOf(queueRow?.paused ?? null, stored),
        ahead: yield* repo.countAhead(project.id, task),
        children,
        controls,
        openCommands,
        orphaned,
        question
      })
      return { engine, task_id: task.task_id, state, checked_at: now, reasons } satisfies Explanation
    }, orDieOnSql)

    return { explain } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([WorkersRepo.layer]))
}
