import { api, type Schemas, unwrap } from "../api/client.ts"
import type { paths } from "../api/schema.d.ts"

type Query = Omit<NonNullable<paths["/api/v1/projects/{slug}/tasks"]["get"]["parameters"]["query"]>, "format">

/** A page of the tasks that match, newest first. */
const readPage = async (slug: string, query: Query, signal?: AbortSignal): Promise<Schemas["TaskList"]> => {
  const list = await unwrap(
    api.GET("/api/v1/projects/{slug}/tasks", {
      params: { path: { slug }, query },
      ...(signal !== undefined && { signal })
    })
  )
  return list as Schemas["TaskList"] // the other types are responses to `format`
}

/** The first page of the tasks that match, newest first. */
export const readTasks = async (
  slug: string,
  query: Query,
  signal?: AbortSignal
): Promise<ReadonlyArray<Schemas["Task"]>> => (await readPage(slug, query, signal)).items

/** A search that is not at its end after so many pages of half a second is rare; the rest is for the list of tasks. */
const maxPages = 6

/** The newest tasks that match, and how far back the search came; null: to the oldest task, or to enough of them. */
export const searchTasks = async (slug: string, search: string, limit: number, signal: AbortSignal) => {
  const tasks: Array<Schemas["Task"]> = []
  let searchedTo: string | null = null
  let cursor: string | null = null
  for (let pages = 0; pages < maxPages && tasks.length < limit; pages++) {
    const page: Schemas["TaskList"] = await readPage(
      slug,
      { search, limit, ...(cursor !== null && { cursor }) },
      signal
    )
    tasks.push(...page.items)
    cursor = page.next_cursor
    searchedTo = page.searched_to ?? null
    if (cursor === null || searchedTo === null) break
  }
  return { tasks, searchedTo }
}
