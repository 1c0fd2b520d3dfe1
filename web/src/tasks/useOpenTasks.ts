import { useNavigate } from "@tanstack/react-router"
import { useCallback } from "react"
import { formatMoment, formatQuery, type TaskQuery } from "./query.ts"

/** Opens the list of the project's tasks with these terms. */
export const useOpenTasks = (slug: string) => {
  const navigate = useNavigate()
  return useCallback(
    (query: TaskQuery) =>
      void navigate({ to: "/projects/$slug/tasks", params: { slug }, search: { q: formatQuery(query) } }),
    [navigate, slug]
  )
}

/** The terms of tasks that ended in a time, in epoch milliseconds. */
export const endedIn = (from: number, to: number): TaskQuery => ({
  finished: formatMoment(from),
  finishedBefore: formatMoment(to)
})
