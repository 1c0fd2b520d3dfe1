import { useQuery } from "@tanstack/react-query"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Fact, Facts, Panel } from "../ui/Panel.tsx"
import { Time } from "../ui/Time.tsx"

/** How many rows of the audit log reach the webhook, in the process that responds. */
export const AuditForwarder = () => {
  const { system: texts } = useTexts()
  const format = useFormat()
  const query = useQuery({
    queryKey: ["audit-forwarder"],
    queryFn: () => unwrap(api.GET("/api/v1/admin/audit-forwarder")),
    refetchInterval: useRefetchInterval(15_000)
  })
  const status = query.data
  return (
    <div className="mx-4">
      <Panel title={texts.forwarder}>
        <ListFrame
          list={query}
          isEmpty={status?.enabled === false}
          empty={<p className="max-w-[72ch] px-4 py-3 text-soft">{texts.forwarderOff}</p>}
        >
          {status !== undefined && (
            <>
              <Facts>
                <Fact name={texts.delivered}>{format.number(status.process_sent_count ?? 0)}</Fact>
                <Fact name={texts.waiting}>{format.number(status.lag_rows ?? 0)}</Fact>
                <Fact name={texts.dropped}>
                  <span className={(status.process_failed_count ?? 0) > 0 ? "text-failure" : ""}>
                    {format.number(status.process_failed_count ?? 0)}
                  </span>
                </Fact>
                <Fact name={texts.lastDelivered}>
                  {status.last_success_at === null ? "–" : <Time at={status.last_success_at} />}
                </Fact>
                <Fact name={texts.failuresInRow}>{format.number(status.consecutive_failures)}</Fact>
              </Facts>
              <p className="px-4 pb-3 text-soft">{texts.forwarderHint(status.worker)}</p>
            </>
          )}
        </ListFrame>
      </Panel>
    </div>
  )
}
