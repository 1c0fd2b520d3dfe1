import { queryOptions } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"

/** The projects that the person sees; a global admin sees all. */
export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: () => unwrap(api.GET("/api/v1/projects"))
})
