import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { shortId } from "../format/shortId.ts"
import type { OverviewSearch } from "../overview/windows.ts"
import { linkClass } from "../ui/TextLink.tsx"
import { formatQuery, type TaskQuery } from "./query.ts"

interface LinkProps {
  readonly slug: string
  readonly className?: string
  readonly title?: string
  readonly children: ReactNode
}

/** The list of the tasks that match a query. */
export const TaskListLink = ({ children, className = linkClass.text, query, slug, title }: LinkProps & {
  readonly query: TaskQuery | string
}) => (
  <Link
    to="/projects/$slug/tasks"
    params={{ slug }}
    search={{ q: typeof query === "string" ? query : formatQuery(query) }}
    className={className}
    {...(title !== undefined && { title })}
  >
    {children}
  </Link>
)

/** A task name that leads to its page. */
export const TaskNameLink = ({ className = linkClass.text, name, search = {}, slug, title }:
  & Omit<LinkProps, "children">
  & { readonly name: string; readonly search?: OverviewSearch }) => (
    <Link
      to="/projects/$slug/names/$name"
      params={{ slug, name }}
      search={search}
      className={className}
      {...(title !== undefined && { title })}
    >
      {name}
    </Link>
  )

/** One task, by the engine's id of it. */
export const TaskLink = (
  { children, className = `${linkClass.text} font-mono text-small`, engine, slug, taskId, title }:
    & Omit<LinkProps, "children">
    & { readonly engine: string; readonly taskId: string; readonly children?: ReactNode }
) => (
  <Link
    to="/projects/$slug/tasks/$engine/$taskId"
    params={{ slug, engine, taskId }}
    title={title ?? taskId}
    className={className}
  >
    {children ?? shortId(taskId)}
  </Link>
)
