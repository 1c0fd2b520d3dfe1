import { Effect } from "effect"
import { freshKey, freshProject, request } from "../../../brain.ts"
import { insertTasks, type StoredTask, storedTask } from "../../../tasks.ts"

/** Settings of these suites: rows of long ago stay, and each request may say which address it comes from. */
export const settings = { tasksRetentionDays: 3650, trustedProxies: ["127.0.0.1", "::1"] }

/** 2026-03-10T12:00:00Z. */
export const start = Date.UTC(2026, 2, 10, 12)

/** A project of its own with these tasks, one a second from `start` on, and a key of its admin. */
export const seedTasks = (fields: ReadonlyArray<Partial<StoredTask>>) =>
  Effect.gen(function*() {
    const project = yield* freshProject()
    const key = yield* freshKey({ roles: { [project.id]: "admin" } })
    const tasks = fields.map((task, index) => storedTask(project.id, start + index * 1000, task))
    yield* insertTasks(tasks)
    const basePath = `/projects/${project.slug}`
    return {
      project,
      key,
      tasks,
      newestFirst: [...tasks].reverse(),
      list: (query = "") => request("GET", `${basePath}/tasks${query}`, key),
      one: (task: { readonly engine: string; readonly task_id: string }, rest = "") =>
        request(
          "GET",
          `${basePath}/tasks/${encodeURIComponent(task.engine)}/${encodeURIComponent(task.task_id)}${rest}`,
          key
        ),
      basePath
    }
  })

interface Items {
  readonly json: { readonly items: ReadonlyArray<{ readonly id: string }> }
}

export const idsOf = (response: Items | ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> =>
  ("json" in response ? response.json.items : response).map(({ id }) => id)
