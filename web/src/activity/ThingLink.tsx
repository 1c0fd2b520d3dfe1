import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { AgentLink } from "../agents/AgentLink.tsx"
import { TaskLink, TaskListLink } from "../tasks/TaskLinks.tsx"
import { WorkerLink } from "../workers/WorkerLink.tsx"
import type { Thing } from "./thing.ts"

const usualClass = "underline decoration-line-strong underline-offset-2 hover:decoration-current"

/** A link to the page of a thing, where one shows it. */
export const ThingLink = ({ children, className = usualClass, slug, thing: { engine, id, name, type } }: {
  readonly slug: string | null
  readonly thing: Thing
  readonly className?: string
  readonly children: ReactNode
}) => {
  if (slug === null || id === null) return children
  const link = { slug, className }
  switch (type) {
    case "task":
      return engine === null ? children : <TaskLink {...link} engine={engine} taskId={id}>{children}</TaskLink>
    case "queue":
      return <TaskListLink {...link} query={{ queue: id, ...(engine !== null && { engine }) }}>{children}</TaskListLink>
    case "worker":
      return <WorkerLink {...link} engine={engine} name={name ?? id} />
    case "agent":
      return <AgentLink {...link} id={id} name={name} />
    case "schedule":
      return (
        <Link to="/projects/$slug/schedules/$scheduleId" params={{ slug, scheduleId: id }} className={className}>
          {children}
        </Link>
      )
    case "failure_group":
      return (
        <Link to="/projects/$slug/failures/$fingerprint" params={{ slug, fingerprint: id }} className={className}>
          {children}
        </Link>
      )
    case "bulk_retry":
      return (
        <Link to="/projects/$slug/bulk-retries/$requestId" params={{ slug, requestId: id }} className={className}>
          {children}
        </Link>
      )
    case "automation_rule":
      return (
        <Link to="/projects/$slug/automation/$ruleId" params={{ slug, ruleId: id }} className={className}>
          {children}
        </Link>
      )
    case "alert":
      return (
        <Link
          to="/projects/$slug/notifications/alerts/$alertId"
          params={{ slug, alertId: id }}
          className={className}
        >
          {children}
        </Link>
      )
    case "approval":
      return (
        <Link to="/projects/$slug/approvals" params={{ slug }} search={{ id }} className={className}>
          {children}
        </Link>
      )
    default:
      return children
  }
}
