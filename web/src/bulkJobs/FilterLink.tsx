import { Link } from "@tanstack/react-router"
import { countNamed } from "../bulkRetries/bulkRetry.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"

/** The filter of a job as a link to its tasks; of tasks that it names, their number. */
export const FilterLink = ({ filter, line, slug }: {
  readonly line: string
  readonly filter: Readonly<Record<string, unknown>>
  readonly slug: string
}) => {
  const { bulkJobs: texts, tasks } = useTexts()
  const format = useFormat()
  const named = countNamed(filter)
  return named !== null ? tasks.count(format.count(named)) : (
    <Link
      to="/projects/$slug/tasks"
      params={{ slug }}
      search={{ q: line }}
      className="block max-w-[48ch] truncate font-mono text-small hover:underline hover:underline-offset-2"
    >
      {line === "" ? texts.everyTask : line}
    </Link>
  )
}
