import { queryOptions, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { projectsQuery } from "../shell/projects.ts"

export const projectQuery = (slug: string) =>
  queryOptions({
    queryKey: ["project", slug],
    queryFn: () => unwrap(api.GET("/api/v1/projects/{slug}", { params: { path: { slug } } }))
  })

/** Changes a project. A new slug is part of the page's address, so the page moves with it. */
export const useProjectChange = (slug: string) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return async (body: Schemas["UpdateProject"]) => {
    const project = await unwrap(api.PATCH("/api/v1/projects/{slug}", { params: { path: { slug } }, body }))
    queries.setQueryData(projectQuery(project.slug).queryKey, project)
    await queries.invalidateQueries(projectsQuery)
    if (project.slug === slug) return
    await queries.invalidateQueries({ queryKey: ["me"] })
    await navigate({ to: "/projects/$slug/settings", params: { slug: project.slug }, replace: true })
  }
}
