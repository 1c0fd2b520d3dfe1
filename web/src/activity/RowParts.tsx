import { Link } from "@tanstack/react-router"
import { shortId } from "../format/shortId.ts"
import { useTexts } from "../i18n/Language.tsx"
import { type Row, summarize } from "./summary.ts"

/** The action's own name, with a word where it was refused or failed. */
export const ActionName = ({ row: { action, outcome, result } }: { readonly row: Row }) => {
  const { activity: texts } = useTexts()
  return (
    <span className="inline-flex flex-wrap gap-x-3">
      <span className="font-mono text-[12px]">{action}</span>
      {outcome === "deny"
        ? <span className="text-stopped">{texts.denied}</span>
        : result === "failure" && <span className="text-failure">{texts.failed}</span>}
    </span>
  )
}

const linkClass = "underline decoration-line-strong underline-offset-2 hover:decoration-current"

/** What the action was done to, by its name where it has one; a link where a page shows it. */
export const Target = ({ row }: { readonly row: Row }) => {
  const { metadata, project_slug: slug, target_id: id, target_type: type } = row
  const name = row.target_name ?? null // the audit log's rows have none
  if (id === null) return <span className="text-soft">{type}</span>
  const text = (
    <span className="whitespace-nowrap">
      <span className="text-soft">{type}</span> <span title={id}>{name ?? shortId(id)}</span>
    </span>
  )
  if (slug === null) return text
  if (type === "task" && typeof metadata.engine === "string") {
    return (
      <Link
        to="/projects/$slug/tasks/$engine/$taskId"
        params={{ slug, engine: metadata.engine, taskId: id }}
        className={linkClass}
      >
        {text}
      </Link>
    )
  }
  if (type === "schedule") {
    return (
      <Link to="/projects/$slug/schedules/$scheduleId" params={{ slug, scheduleId: id }} className={linkClass}>
        {text}
      </Link>
    )
  }
  if (type === "failure_group") {
    return (
      <Link to="/projects/$slug/failures/$fingerprint" params={{ slug, fingerprint: id }} className={linkClass}>
        {text}
      </Link>
    )
  }
  if (type === "bulk_retry") {
    return (
      <Link to="/projects/$slug/bulk-retries/$requestId" params={{ slug, requestId: id }} className={linkClass}>
        {text}
      </Link>
    )
  }
  if (type === "automation_rule") {
    return (
      <Link to="/projects/$slug/automation/$ruleId" params={{ slug, ruleId: id }} className={linkClass}>{text}</Link>
    )
  }
  if (type === "approval") {
    return <Link to="/projects/$slug/approvals" params={{ slug }} search={{ id }} className={linkClass}>{text}</Link>
  }
  return text
}

/** The most telling values of the row, on one line. */
export const Summary = ({ row: { metadata } }: { readonly row: Row }) => (
  <span className="line-clamp-2 min-w-0 break-words">
    {summarize(metadata).map(([name, value], index) => (
      <span key={name}>
        {index > 0 && ", "}
        <span className="text-soft">{name}:</span> {value}
      </span>
    ))}
  </span>
)
