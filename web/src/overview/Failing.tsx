import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { formatQuery } from "../tasks/query.ts"
import { TaskNameLink } from "../tasks/TaskLinks.tsx"
import { Table } from "../ui/Table.tsx"
import { linkClass, TextLink } from "../ui/TextLink.tsx"
import { Time } from "../ui/Time.tsx"
import { Part } from "./Part.tsx"
import { failingGroupsQuery, failingNamesQuery } from "./queries.ts"
import type { OverviewWindow } from "./windows.ts"

const refetchMillis = 30_000
/** The task names that failed most in the window. */
export const FailingNames = ({ slug, window }: { readonly slug: string; readonly window: OverviewWindow }) => {
  const { overview: texts } = useTexts()
  const format = useFormat()
  const names = useQuery({ ...failingNamesQuery(slug, window), refetchInterval: useRefetchInterval(refetchMillis) })
  return (
    <Part title={texts.topFailing} query={names} isEmpty={names.data?.length === 0} empty={texts.noFailing}>
      <Table
        label={texts.topFailing}
        rows={names.data ?? []}
        rowKey={({ engine, name }) => `${engine} ${name}`}
        columns={[
          {
            title: texts.name,
            cell: ({ name }) => <TaskNameLink slug={slug} name={name} search={{ window }} className={linkClass.name} />
          },
          {
            title: texts.failed,
            isNumber: true,
            cell: ({ engine, failure, name }) => (
              <TextLink
                to="/projects/$slug/tasks"
                params={{ slug }}
                search={{ q: formatQuery({ state: "failure", exactName: name, engine, finished: window }) }}
                look="row"
                className="text-failure"
              >
                {format.number(failure)}
              </TextLink>
            )
          },
          { title: texts.failureRate, isNumber: true, cell: ({ failure_rate }) => format.percent(failure_rate) },
          {
            title: texts.p95,
            isNumber: true,
            isMinor: true,
            cell: ({ runtime_ms }) => runtime_ms !== null && format.duration(runtime_ms.p95)
          }
        ]}
      />
    </Part>
  )
}

/** The failure groups of the window with the most open tasks. */
export const FailingGroups = ({ most, slug, window }: {
  readonly slug: string
  readonly window: OverviewWindow
  readonly most?: number
}) => {
  const { failures, overview: texts } = useTexts()
  const format = useFormat()
  const groups = useQuery({ ...failingGroupsQuery(slug, window), refetchInterval: useRefetchInterval(refetchMillis) })
  return (
    <Part title={texts.topGroups} query={groups} isEmpty={groups.data?.length === 0} empty={texts.noGroups}>
      <Table
        label={texts.topGroups}
        rows={groups.data?.slice(0, most) ?? []}
        rowKey={({ fingerprint }) => fingerprint}
        columns={[
          {
            title: failures.failure,
            cell: ({ fingerprint, sample_exception, sample_task_name }) => (
              <Link
                to="/projects/$slug/failures/$fingerprint"
                params={{ slug, fingerprint }}
                title={sample_exception ?? undefined}
                className={`block max-w-[44ch] truncate @max-md:max-w-[46cqw] ${linkClass.name}`}
              >
                {sample_exception?.split("\n", 1)[0] ?? sample_task_name ?? fingerprint}
              </Link>
            )
          },
          {
            title: failures.open,
            isNumber: true,
            cell: ({ open_count }) => <span className="text-failure">{format.number(open_count)}</span>
          },
          {
            title: failures.lastSeen,
            isNumber: true,
            cell: ({ last_seen }) => last_seen !== null && <Time at={last_seen} />
          }
        ]}
      />
    </Part>
  )
}
