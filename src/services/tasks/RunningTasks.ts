import { Effect, Layer } from "effect"
import { maxRunningTasks, RunningTask, type RunningTasks as Running } from "../../domain/tasks/RunningTask.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { orDieOnSql, Reader } from "../kernel/sql/Database.ts"
import { rowsOf } from "../kernel/sql/Rows.ts"
import { TasksRepo } from "./Repo.ts"

const decodeRows = rowsOf(RunningTask)

/** What the workers of the current project run now. */
export class RunningTasks extends Effect.Service<RunningTasks>()("svc/RunningTasks", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    const repo = yield* TasksRepo

    /** By the index `tasks_state`, so its cost does not grow with the tasks that ended. */
    const list = Effect.fn("RunningTasks.list")(function*() {
      const { id } = yield* CurrentProject
      const rows = yield* decodeRows(
        read`SELECT id, engine, task_id, name, queue, priority, worker_name, started_at FROM tasks
          WHERE project_id = ${id} AND state = 'started' ORDER BY id LIMIT ${maxRunningTasks}`
      )
      const total = rows.length < maxRunningTasks ? rows.length : yield* repo.readCount(id, "started")
      return {
        items: rows.toSorted((a, b) => (a.started_at ?? "").localeCompare(b.started_at ?? "")),
        total: Math.max(total, rows.length)
      } satisfies Running
    }, orDieOnSql)

    return { list } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(TasksRepo.layer))
}
