import { useQuery } from "@tanstack/react-query"
import { ConnectLink } from "../agents/ConnectLink.tsx"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useToast } from "../ui/Toasts.tsx"
import { useAction } from "../ui/useAction.ts"
import { capabilitiesQuery, schedulesKey } from "./queries.ts"
import { ServiceScheduler } from "./ServiceScheduler.tsx"

const refetchMillis = 5_000

/** The schedulers of the project's engines: who publishes their schedules, what is wrong, and what can be done from here. */
export const Schedulers = ({ slug }: { readonly slug: string }) => {
  const { schedules: { operations, schedulers: texts } } = useTexts()
  const format = useFormat()
  const canResync = useCan(slug, "admin")
  const toast = useToast()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const list = useQuery({ ...capabilitiesQuery(slug), refetchInterval })
  const resync = useAction(schedulesKey(slug), async () => {
    const { agents_dispatched, schedulers_observed } = await unwrap(
      api.POST("/api/v1/projects/{slug}/schedules:resync", { params: { path: { slug } } })
    )
    toast.show({
      title: texts.resync,
      text: agents_dispatched === 0
        ? texts.noneRequested
        : texts.requested(format.count(agents_dispatched), schedulers_observed.join(", ")),
      tone: agents_dispatched === 0 ? "plain" : "good"
    })
  })
  const rows = (list.data?.schedulers ?? []).flatMap(({ publishers, scheduler }) =>
    publishers.map((publisher) => ({ ...publisher, scheduler }))
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-4 py-3">
        <p className="flex-1 basis-65 text-soft">{texts.hint}</p>
        {canResync && (
          <Button disabled={resync.isPending} onClick={() => resync.mutate()} title={texts.resyncHint}>
            {texts.resync}
          </Button>
        )}
      </div>
      <ServiceScheduler slug={slug} />
      <ListFrame
        list={list}
        isEmpty={rows.length === 0}
        empty={
          <EmptyState title={texts.none} hint={texts.noneHint}>
            <ConnectLink slug={slug} />
          </EmptyState>
        }
      >
        <Table
          label={texts.title}
          rows={rows}
          rowKey={({ agent_id, scheduler }) => `${scheduler} ${agent_id}`}
          columns={[
            {
              title: texts.name,
              cell: ({ error, scheduler }) => (
                <span className="grid">
                  <span className="font-medium">{scheduler}</span>
                  {error !== null && <span className="text-small text-failure">{error}</span>}
                </span>
              )
            },
            { title: texts.agent, cell: ({ agent_name }) => agent_name },
            {
              title: texts.state,
              cell: ({ is_live, status }) => (
                <span title={status} className={is_live ? "text-success" : "text-soft"}>
                  {is_live ? texts.live : texts.away}
                </span>
              )
            },
            {
              title: texts.can,
              isMinor: true,
              cell: ({ operations: names }) =>
                names.length === 0 ? texts.listOnly : names.map((name) => operations[name]).join(", ")
            },
            { title: texts.count, isNumber: true, cell: ({ schedule_count }) => format.number(schedule_count) },
            {
              title: texts.snapshot,
              isNumber: true,
              isMinor: true,
              cell: ({ snapshot_at }) => (snapshot_at === null ? "–" : <Time at={snapshot_at} />)
            }
          ]}
        />
      </ListFrame>
    </>
  )
}
