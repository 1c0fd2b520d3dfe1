import { formatDuration } from "../format/duration.ts"
import { useTexts } from "../i18n/Language.tsx"
import type { Change, DraftField } from "./definition.ts"
import { showExpression } from "./ticks.ts"

/** What a save would change, field by field, and what that means for ticks. */
export const ChangeList = ({ changes, words }: {
  readonly changes: ReadonlyArray<Change>
  /** The words of the expression before and after; null: there are none, or none yet. */
  readonly words: { readonly before: string | null; readonly after: string | null }
}) => {
  const { schedules: { form: texts } } = useTexts()
  const cadence: ReadonlySet<DraftField> = new Set(["kind", "expression", "timezone", "jitter_seconds"])
  const describe = (field: DraftField, text: string, summary: string | null) => {
    if (field === "jitter_seconds" || field === "grace_seconds") {
      return text.trim() === "" ? "" : formatDuration(Number(text) * 1_000)
    }
    if (field !== "expression") return text.trim()
    return summary === null ? showExpression(text.trim()) : `${showExpression(text.trim())} (${summary})`
  }
  if (changes.length === 0) return <p className="text-soft">{texts.noChange}</p>
  return (
    <section aria-label={texts.changes}>
      <p className="mb-1 font-medium">{texts.changes}</p>
      <ul className="grid gap-1">
        {changes.map(({ after, before, field }) => (
          <li key={field} className="grid gap-0.5">
            <span className="text-small text-soft">{texts.fields[field]}</span>
            <span className="grid gap-0.5 font-mono text-small break-words whitespace-pre-wrap">
              <del className="text-soft">{describe(field, before, words.before) || "–"}</del>
              <ins className="no-underline">{describe(field, after, words.after) || "–"}</ins>
            </span>
          </li>
        ))}
      </ul>
      {changes.some(({ field }) => cadence.has(field)) && <p className="mt-2 text-soft">{texts.cadenceHint}</p>}
    </section>
  )
}
