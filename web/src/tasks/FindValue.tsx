import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"
import { formatPlace } from "./query.ts"

/** Leads from a value of a task to all tasks that have it at the same place. */
export const FindValue = ({ column, path, slug, value }: {
  readonly slug: string
  readonly column: "args" | "kwargs" | "result"
  readonly path: ReadonlyArray<string | number>
  readonly value: string
}) => {
  const { task: texts } = useTexts()
  const q = formatPlace(column, path, value)
  if (q === null) return null
  return (
    <Link
      to="/projects/$slug/tasks"
      params={{ slug }}
      search={{ q }}
      aria-label={texts.findValue(q)}
      title={texts.findValue(q)}
      className="ml-1 inline-block align-middle text-soft opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100"
    >
      <Icon name="search" />
    </Link>
  )
}
