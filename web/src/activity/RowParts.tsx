import { useTexts } from "../i18n/Language.tsx"
import { targetOf } from "./sentence.ts"
import { type Row, summarize } from "./summary.ts"
import { nameOfThing } from "./thing.ts"
import { ThingLink } from "./ThingLink.tsx"

/** The action's own name, with a word where it was refused or failed. */
export const ActionName = ({ row: { action, outcome, result } }: { readonly row: Row }) => {
  const { activity: texts } = useTexts()
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      <span className="font-mono text-[12px]">{action}</span>
      {outcome === "deny"
        ? <span className="text-stopped">{texts.denied}</span>
        : result === "failure" && <span className="text-failure">{texts.failed}</span>}
    </span>
  )
}

/** What the action was done to, by its name where it has one; a link where a page shows it. */
export const Target = ({ row }: { readonly row: Row }) => {
  const { project_slug, target_id, target_type } = row
  if (target_id === null) return <span className="text-soft">{target_type}</span>
  const thing = targetOf(row)
  return (
    <span className="whitespace-nowrap">
      <span className="text-soft">{target_type}</span>{" "}
      <ThingLink slug={project_slug} thing={thing}>
        <span title={target_id}>{nameOfThing(thing)}</span>
      </ThingLink>
    </span>
  )
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
