import type { Schemas } from "../api/client.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

type Entry = Schemas["ScheduleDiffEntry"]

const kinds = ["inserted", "updated", "deleted"] as const
const marks = { inserted: "+", updated: "~", deleted: "−" } as const
const colours = { inserted: "text-success", updated: "text-retry", deleted: "text-failure" } as const

const show = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value) ?? "–")

const EntryRow = ({ entry: { current, is_drifted, name, proposed }, kind }: {
  readonly entry: Entry
  readonly kind: typeof kinds[number]
}) => {
  const { schedules: texts } = useTexts()
  const fields = kind === "updated" ? Object.keys(proposed) : []
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <p className="flex flex-wrap items-center gap-2">
        <span aria-hidden="true" className={`w-2.5 font-mono ${colours[kind]}`}>{marks[kind]}</span>
        <span className="font-medium">{name}</span>
        <span className="text-small text-soft">{texts.import.kinds[kind]}</span>
        {is_drifted && <span className="text-small text-retry" title={texts.driftedHint}>{texts.drifted}</span>}
      </p>
      {fields.map((field) => (
        <p key={field} className="pl-4.5 font-mono text-small break-words">
          <span className="text-soft">{`${field}: `}</span>
          <del className="text-soft">{show(current[field])}</del>{" "}
          <ins className="no-underline">{show(proposed[field])}</ins>
        </p>
      ))}
    </li>
  )
}

/** What an import would create, change and delete, field by field. */
export const ImportDiff = ({ diff }: { readonly diff: Schemas["DiffSchedulesResponse"] }) => {
  const { schedules: { import: texts } } = useTexts()
  const format = useFormat()
  const { deleted, inserted, unchanged, updated } = diff.summary
  return (
    <section aria-label={texts.difference} className="rounded-base border border-line bg-paper">
      <p className="border-b border-line px-4 py-2 font-medium">
        {inserted + updated + deleted === 0
          ? texts.nothing
          : texts.counts(format.number(inserted), format.number(updated), format.number(deleted))}{" "}
        <span className="font-normal text-soft">{texts.unchanged(format.number(unchanged))}</span>
      </p>
      <ul>
        {kinds.flatMap((kind) =>
          diff[kind].map((entry) => (
            <EntryRow key={`${kind} ${entry.scheduler} ${entry.name}`} entry={entry} kind={kind} />
          ))
        )}
      </ul>
    </section>
  )
}
