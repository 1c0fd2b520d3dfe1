import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"

/** The filter of a job as a link to its tasks. */
export const FilterLink = ({ line, slug }: { readonly line: string; readonly slug: string }) => {
  const { bulkJobs: texts } = useTexts()
  return (
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
