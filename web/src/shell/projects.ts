import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { ofFrame } from "../api/readAt.ts"

/** The projects that the person sees; a global admin sees all. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  meta: ofFrame,
  queryFn: () => unwrap(api.GET("/api/v1/projects"))
})
