import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { hasNoMatch, MatchCount } from "../tasks/MatchCount.tsx"
import type { TaskSelection } from "../tasks/selection.ts"
import { fieldText, SelectField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { exportFormats } from "./exportJob.ts"
import { createTaskExport } from "./queries.ts"
import { useFollowExport } from "./useFollowExport.ts"

/** Says how many tasks are selected or match, and begins a job that writes them into a file. */
export const ExportTasksDialog = ({ onClose, onStarted, selection, slug }: {
  readonly slug: string
  readonly selection: TaskSelection
  readonly onClose: () => void
  readonly onStarted?: () => void
}) => {
  const texts = useTexts()
  const follow = useFollowExport(slug)
  const format = useFormat()
  const isQuery = selection.kind === "query"
  const facets = useFacets(slug, isQuery ? selection.query : "", isQuery)
  const start = async (form: FormData) => {
    const chosen = exportFormats.find((one) => one === fieldText(form, "format")) ?? "csv"
    const job = await createTaskExport(slug, chosen, selection)
    onStarted?.()
    void follow(job)
  }
  return (
    <FormDialog
      title={texts.exportJobs.question}
      submit={texts.exportJobs.start}
      isBlocked={isQuery && (facets.data === undefined || hasNoMatch(facets))}
      onClose={onClose}
      onSubmit={start}
    >
      {isQuery
        ? (
          <MatchCount
            facets={facets}
            none={texts.tasks.noMatch}
            all={texts.exportJobs.matching}
            more={texts.exportJobs.moreMatching}
          />
        )
        : <p className="text-large font-medium">{texts.tasks.count(format.count(selection.ids.length))}</p>}
      <SelectField name="format" label={texts.exportJobs.format} choices={texts.exportJobs.formats} initial="csv" />
      <p className="text-soft">{texts.exportJobs.hint}</p>
    </FormDialog>
  )
}
