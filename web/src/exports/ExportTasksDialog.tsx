import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { hasNoMatch, MatchCount } from "../tasks/MatchCount.tsx"
import { fieldText, SelectField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { exportFormats } from "./exportJob.ts"
import { createTaskExport } from "./queries.ts"
import { useFollowExport } from "./useFollowExport.ts"

/** Says how many tasks match the query, and begins a job that writes them into a file. */
export const ExportTasksDialog = ({ onClose, onStarted, query, slug }: {
  readonly slug: string
  readonly query: string
  readonly onClose: () => void
  readonly onStarted?: () => void
}) => {
  const texts = useTexts()
  const follow = useFollowExport(slug)
  const facets = useFacets(slug, query)
  const start = async (form: FormData) => {
    const chosen = exportFormats.find((one) => one === fieldText(form, "format")) ?? "csv"
    const job = await createTaskExport(slug, chosen, query)
    onStarted?.()
    void follow(job)
  }
  return (
    <FormDialog
      title={texts.exportJobs.question}
      submit={texts.exportJobs.start}
      isBlocked={facets.data === undefined || hasNoMatch(facets)}
      onClose={onClose}
      onSubmit={start}
    >
      <MatchCount
        facets={facets}
        none={texts.tasks.noMatch}
        all={texts.exportJobs.matching}
        more={texts.exportJobs.moreMatching}
      />
      <SelectField name="format" label={texts.exportJobs.format} choices={texts.exportJobs.formats} initial="csv" />
      <p className="text-soft">{texts.exportJobs.hint}</p>
    </FormDialog>
  )
}
