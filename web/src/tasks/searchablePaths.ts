import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useAction } from "../ui/useAction.ts"

/** The places of a project's tasks whose values are in an index (docs/api.md, Searchable paths). */
export const searchablePathsQuery = (slug: string) =>
  queryOptions({
    queryKey: ["searchable-paths", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}/searchable-paths", { params: { path: { slug } } })),
    staleTime: 10_000
  })

export const useMakeSearchable = (slug: string) =>
  useAction(
    searchablePathsQuery(slug).queryKey,
    (body: { readonly task_name: string; readonly path: string }) =>
      unwrap(api.POST("/api/v1/projects/{slug}/searchable-paths", { params: { path: { slug } }, body }))
  )

export const useStopSearchable = (slug: string) =>
  useAction(
    searchablePathsQuery(slug).queryKey,
    (path_id: string) =>
      unwrap(api.DELETE("/api/v1/projects/{slug}/searchable-paths/{path_id}", { params: { path: { slug, path_id } } }))
  )
