import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useFacets } from "../tasks/Facets.tsx"
import { fieldText, SelectField } from "../ui/Fields.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ErrorNotice, Loading } from "../ui/Notices.tsx"
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
  const format = useFormat()
  const follow = useFollowExport(slug)
  const facets = useFacets(slug, query)
  const { counted = 0, is_complete = true } = facets.data ?? {}
  const shown = format.number(counted)
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
      isBlocked={facets.data === undefined || (counted === 0 && is_complete)}
      onClose={onClose}
      onSubmit={start}
    >
      {facets.data !== undefined
        ? (
          <p className="text-large font-medium">
            {counted === 0 && is_complete
              ? texts.tasks.noMatch
              : is_complete
              ? texts.exportJobs.matching(shown)
              : texts.exportJobs.moreMatching(shown)}
          </p>
        )
        : facets.isError
        ? <ErrorNotice error={facets.error} onRetry={() => void facets.refetch()} />
        : <Loading />}
      <SelectField name="format" label={texts.exportJobs.format} choices={texts.exportJobs.formats} initial="csv" />
      <p className="text-soft">{texts.exportJobs.hint}</p>
    </FormDialog>
  )
}
