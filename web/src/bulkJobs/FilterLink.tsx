import { countNamed, isQueryHidden } from "../bulkRetries/bulkRetry.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { TextLink } from "../ui/TextLink.tsx"

/** The filter of a job whose query the person cannot see: without a link, which would list other tasks. */
export const HiddenQuery = ({ line }: { readonly line: string }) => {
  const { bulkJobs: texts } = useTexts()
  return (
    <span className="grid max-w-[48ch]">
      {line !== "" && <span className="truncate font-mono text-small">{line}</span>}
      <span className="text-soft">{texts.hiddenQuery}</span>
    </span>
  )
}

/** The filter of a job as a link to its tasks; of tasks that it names, their number. */
export const FilterLink = ({ filter, line, slug }: {
  readonly line: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly slug: string
}) => {
  const { bulkJobs: texts, tasks } = useTexts()
  const format = useFormat()
  const named = countNamed(filter)
  return named !== null ?
    tasks.count(format.count(named)) :
    isQueryHidden(filter) ?
    <HiddenQuery line={line} /> :
    (
      <TextLink
        to="/projects/$slug/tasks"
        params={{ slug }}
        search={{ q: line }}
        look="row"
        className="block max-w-[48ch] truncate font-mono text-small"
      >
        {line === "" ? texts.everyTask : line}
      </TextLink>
    )
}
