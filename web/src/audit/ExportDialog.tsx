import { useQueryClient } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { exportFormats } from "../exports/exportJob.ts"
import { exportsKey } from "../exports/queries.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { fieldText, SelectField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { type AuditFilter, termsOf } from "./queries.ts"

/** The filters in words. */
const useFilterWords = (slug: string) => {
  const { activity, audit: texts } = useTexts()
  const { nameOf } = usePeople(slug)
  return ({ outcome, person, prefix, target, window }: AuditFilter): ReadonlyArray<string> => [
    ...(prefix === undefined ? [] : [`${activity.action}: ${prefix}`]),
    ...(person === undefined ? [] : [`${activity.person}: ${nameOf(person)}`]),
    ...(outcome === undefined ? [] : [`${texts.outcome}: ${texts.outcomes[outcome]}`]),
    ...(target === undefined ? [] : [texts.ofTarget(target)]),
    ...(window === undefined ? [] : [`${texts.since}: ${texts.windows[window]}`])
  ]
}

/** Begins an export of the rows that the page's filters match. */
export const ExportDialog = ({ filter, onClose, onStarted, slug }: {
  readonly slug: string
  readonly filter: AuditFilter
  readonly onStarted: () => void
  readonly onClose: () => void
}) => {
  const { audit: texts, exportJobs } = useTexts()
  const queries = useQueryClient()
  const words = useFilterWords(slug)(filter)
  return (
    <FormDialog
      title={texts.createTitle}
      submit={exportJobs.start}
      onClose={onClose}
      onSubmit={async (form) => {
        const format = exportFormats.find((one) => one === fieldText(form, "format")) ?? "csv"
        await unwrap(
          api.POST("/api/v1/projects/{slug}/audit/export-jobs", {
            params: { path: { slug } },
            body: { format, ...termsOf(filter) }
          })
        )
        await queries.invalidateQueries({ queryKey: exportsKey(slug, "audit") })
        onStarted()
      }}
    >
      <p className="text-soft">{texts.createHint}</p>
      <div>
        <p className="font-medium">{texts.filters}</p>
        {words.length === 0 ? <p>{texts.noFilters}</p> : <ul>{words.map((word) => <li key={word}>{word}</li>)}</ul>}
      </div>
      <SelectField name="format" label={exportJobs.format} choices={exportJobs.formats} initial="csv" />
    </FormDialog>
  )
}
