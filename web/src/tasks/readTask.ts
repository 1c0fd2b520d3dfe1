import { parse } from "lossless-json"
import { api, type Schemas, unwrap } from "../api/client.ts"

export type TaskDetail = Schemas["TaskDetail"]

/** The values of a task with all their digits. */
export type ExactValues = Pick<TaskDetail, "args" | "kwargs" | "result">

export const taskKey = (slug: string, engine: string, taskId: string) => ["task", slug, engine, taskId] as const

/** The values keep their digits only in the response's text: JSON.parse rounds numbers beyond 2^53. */
export const readTask = async (slug: string, engine: string, taskId: string) => {
  const text = await unwrap(
    api.GET("/api/v1/projects/{slug}/tasks/{engine}/{task_id}", {
      params: { path: { slug, engine, task_id: taskId } },
      parseAs: "text"
    })
  )
  const exact = parse(text) as ExactValues // the same response, with numbers as text
  return { task: JSON.parse(text) as TaskDetail, exact } // the contract of this operation
}
