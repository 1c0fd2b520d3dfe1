import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { chartRefetchMillis } from "../overview/queries.ts"
import type { OverviewWindow } from "../overview/windows.ts"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Panel } from "../ui/Panel.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { groupsOfNameQuery } from "./queries.ts"

/** The failure groups of its tasks, the most recently failed first. */
export const NameGroups = ({ name, slug, window }: {
  readonly slug: string
  readonly name: string
  readonly window: OverviewWindow
}) => {
  const { failures, names: texts, overview } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(chartRefetchMillis)
  const groups = useQuery({ ...groupsOfNameQuery(slug, name, window), refetchInterval })
  return (
    <Panel title={texts.groups}>
      <ListFrame
        list={groups}
        isEmpty={groups.data?.length === 0}
        empty={<p className="px-4 py-3 text-soft">{overview.noGroups}</p>}
      >
        <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 px-4 py-3">
          {groups.data?.map(({ fingerprint, last_seen, sample_exception, window }) => (
            <li key={fingerprint} className="flex items-baseline justify-between gap-3">
              <Link
                to="/projects/$slug/failures/$fingerprint"
                params={{ slug, fingerprint }}
                title={sample_exception ?? undefined}
                className={`min-w-0 truncate ${linkClass.name}`}
              >
                {sample_exception?.split("\n", 1)[0] ?? failures.noException}
              </Link>
              <span className="figures shrink-0 text-soft">
                {window !== null && format.number(window.occurrences)}
                {last_seen !== null && <Time at={last_seen} className="ml-3" />}
              </span>
            </li>
          ))}
        </ul>
      </ListFrame>
    </Panel>
  )
}
