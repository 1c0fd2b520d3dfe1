import { Link } from "@tanstack/react-router"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { usePeople } from "../people/usePeople.ts"
import { Sparkline } from "../ui/Sparkline.tsx"
import { type Column, Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { FirstDeploy } from "./FirstDeploy.tsx"
import { GroupMark } from "./GroupMark.tsx"
import type { FailureGroup } from "./queries.ts"
import type { FailureWindow } from "./search.ts"
import { useDeploysBefore } from "./useDeploysBefore.ts"

/** The groups of a list, with what a person triages them by. */
export const GroupTable = ({ hours, rows, slug }: {
  readonly slug: string
  readonly rows: ReadonlyArray<FailureGroup>
  /** Their failed attempts are counted in this window; else of all time. */
  readonly hours: FailureWindow | undefined
}) => {
  const { failures: texts } = useTexts()
  const format = useFormat()
  const { nameOf } = usePeople(slug)
  const deploys = useDeploysBefore(slug, rows.map(({ first_seen }) => first_seen))
  const assignees: ReadonlyArray<Column<FailureGroup>> = rows.every(({ assignee }) => assignee === null) ? [] : [{
    title: texts.assignee,
    isMinor: true,
    cell: ({ assignee }) =>
      assignee !== null && <span className="whitespace-nowrap">{nameOf(assignee.id, assignee.name)}</span>
  }]
  const counts: ReadonlyArray<Column<FailureGroup>> = hours === undefined
    ? [
      {
        title: texts.recovered,
        isNumber: true,
        isMinor: true,
        cell: ({ recovered_count }) => format.number(recovered_count)
      },
      {
        title: texts.occurrences,
        isNumber: true,
        isMinor: true,
        cell: ({ occurrences }) => format.number(occurrences)
      }
    ]
    : [{
      title: texts.occurrences,
      isNumber: true,
      cell: ({ window }) =>
        window !== null && (
          <>
            <Sparkline counts={window.counts} className="mr-3 text-failure max-md:hidden" />
            {format.number(window.occurrences)}
          </>
        )
    }]
  return (
    <Table
      label={texts.title}
      rows={rows}
      rowKey={({ fingerprint }) => fingerprint}
      columns={[
        { title: texts.status, cell: (group) => <GroupMark group={group} isShort /> },
        {
          title: texts.failure,
          cell: ({ fingerprint, first_seen, sample_exception, sample_task_name }) => (
            <Link
              to="/projects/$slug/failures/$fingerprint"
              params={{ slug, fingerprint }}
              search={hours === undefined ? {} : { hours }}
              className="group block max-w-[50ch] min-w-0 py-2 2xl:max-w-[72ch] max-md:max-w-[36vw]"
            >
              <span className="block truncate font-medium group-hover:underline group-hover:underline-offset-2">
                {sample_task_name ?? fingerprint}
              </span>
              <span className="block truncate font-mono text-small text-soft" title={sample_exception ?? undefined}>
                {sample_exception?.split("\n", 1)[0] ?? texts.noException}
              </span>
              {first_seen !== null && (
                <FirstDeploy deploys={deploys} firstSeen={first_seen} className="truncate text-small" />
              )}
            </Link>
          )
        },
        {
          title: texts.engine,
          isMinor: true,
          cell: ({ engines }) => <span className="whitespace-nowrap">{engines.join(", ")}</span>
        },
        ...assignees,
        {
          title: texts.openNow,
          isNumber: true,
          cell: ({ open_count }) => (
            <span className={open_count > 0 ? "font-medium text-failure" : "text-soft"}>
              {format.number(open_count)}
            </span>
          )
        },
        ...counts,
        {
          title: texts.lastSeen,
          isNumber: true,
          cell: ({ last_seen }) => last_seen !== null && <Time at={last_seen} />
        },
        {
          title: texts.firstSeen,
          isNumber: true,
          isMinor: true,
          cell: ({ first_seen }) => first_seen !== null && <Time at={first_seen} />
        }
      ]}
    />
  )
}
