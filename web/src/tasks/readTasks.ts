import { api, type Schemas, unwrap } from "../api/client.ts"
import type { paths } from "../api/schema.d.ts"

type Query = Omit<NonNullable<paths["/api/v1/projects/{slug}/tasks"]["get"]["parameters"]["query"]>, "format">

/** The first page of the tasks that match, newest first. */
export const readTasks = async (
  slug: string,
  query: Query,
  signal?: AbortSignal
): Promise<ReadonlyArray<Schemas["Task"]>> => {
  const answer = await unwrap(
    api.GET("/api/v1/projects/{slug}/tasks", {
      params: { path: { slug }, query },
      ...(signal !== undefined && { signal })
    })
  )
  return typeof answer === "object" && "items" in answer ? answer.items : [] // the others are answers to `format`
}
