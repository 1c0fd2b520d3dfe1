import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Icon } from "../ui/Icon.tsx"
import { formatPlace, formatQuery } from "./query.ts"
import { searchablePathsQuery, useMakeSearchable, useStopSearchable } from "./searchablePaths.ts"

const look =
  "ml-1 inline-block align-middle text-soft opacity-0 group-hover:opacity-100 hover:text-ink focus-visible:opacity-100"

/**
 * Leads from a value of a task to all tasks that have it at the same place, and puts the values at the place into an index.
 * With an index the link is to the tasks of the same name, because the index has these.
 */
export const ValueActions = ({ column, path, slug, taskName, value }: {
  readonly slug: string
  readonly taskName: string
  readonly column: "args" | "kwargs" | "result"
  readonly path: ReadonlyArray<string | number>
  readonly value: string
}) => {
  const { task: texts } = useTexts()
  const canOperate = useCan(slug, "operator")
  const { data } = useQuery(searchablePathsQuery(slug))
  const make = useMakeSearchable(slug)
  const stop = useStopSearchable(slug)
  const term = formatPlace(column, path, value)
  if (term === null) return null
  const place = [column, ...path].join(".")
  const searchable = data?.find((one) => one.task_name === taskName && one.path === place)
  const q = searchable === undefined ? term : `${formatQuery({ exactName: taskName })} ${term}`
  const label = (searchable === undefined ? texts.makeSearchable : texts.stopSearchable)(place, taskName)
  return (
    <>
      <Link
        to="/projects/$slug/tasks"
        params={{ slug }}
        search={{ q }}
        aria-label={texts.findValue(q)}
        title={texts.findValue(q)}
        className={look}
      >
        <Icon name="search" />
      </Link>
      {canOperate && data !== undefined && (
        <button
          type="button"
          aria-label={label}
          title={label}
          aria-pressed={searchable !== undefined}
          disabled={make.isPending || stop.isPending}
          className={searchable === undefined ? look : "ml-1 inline-block align-middle text-ink"}
          onClick={() =>
            searchable === undefined
              ? make.mutate({ task_name: taskName, path: place })
              : stop.mutate(searchable.id)}
        >
          <Icon name="bookmark" />
        </button>
      )}
    </>
  )
}
