import { queryOptions, useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { ofFrame } from "../api/readAt.ts"
import { projectsQuery } from "./projects.ts"

/** One project; null: there is none, or the person does not see it. */
const singleQuery = (slug: string) =>
  queryOptions({
    queryKey: [...projectsQuery.queryKey, slug],
    meta: ofFrame,
    queryFn: async () => {
      const request = api.GET("/api/v1/projects/{slug}", { params: { path: { slug } } })
      const isMissing = await request.then(({ response }) => response.status === 404, () => false)
      return isMissing ? null : unwrap(request)
    }
  })

/** `reading` while the list is read, `checking` while a project that is not in it is read by itself. */
export type ProjectState = "reading" | "checking" | "known" | "missing"

/**
 * The project of the address as the person sees it. The list of projects may be older than the project, so one that it
 * lacks is missing only once the API says so.
 */
export const useProject = (
  slug: string | undefined
): { readonly state: ProjectState; readonly project: Schemas["Project"] | undefined } => {
  const list = useQuery(projectsQuery)
  const listed = list.data?.find((one) => one.slug === slug)
  const isUnlisted = slug !== undefined && list.data !== undefined && listed === undefined
  const single = useQuery({ ...singleQuery(slug ?? ""), enabled: isUnlisted })
  if (!isUnlisted) return { state: list.isPending ? "reading" : "known", project: listed }
  if (single.isPending) return { state: "checking", project: undefined }
  return { state: single.data === null ? "missing" : "known", project: single.data ?? undefined }
}
