import { useQuery } from "@tanstack/react-query"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCanAudit } from "../session/permissions.ts"
import { meQuery } from "../session/session.ts"
import { ErrorNotice } from "../ui/Notices.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Problem } from "../ui/Problem.tsx"
import { Time } from "../ui/Time.tsx"
import { forwarderQuery, healthQuery } from "./queries.ts"
import { Verification } from "./Verification.tsx"

const refetchMillis = 60_000

const colours = { ok: "text-success", degraded: "text-retry", failed: "text-failure" } as const

const Line = ({ children, name }: { readonly name: string; readonly children: React.ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)

const Forwarder = () => {
  const { audit: texts } = useTexts()
  const format = useFormat()
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data, error } = useQuery({ ...forwarderQuery, refetchInterval })
  if (data === undefined) {
    return error !== null && (
      <Line name={texts.forwarder}>
        <Problem error={error} />
      </Line>
    )
  }
  return (
    <Line name={texts.forwarder}>
      {!data.enabled ? <span className="text-soft">{texts.forwarderOff}</span> : (
        <>
          <span className={data.consecutive_failures > 0 ? "text-failure" : undefined}>
            {texts.forwarderState(
              format.number(data.process_sent_count ?? 0),
              format.number(data.process_failed_count ?? 0)
            )}
          </span>
          , {texts.waiting(format.count(data.lag_rows ?? 0))}
          {data.last_success_at !== null && (
            <>
              (<Time at={data.last_success_at} />)
            </>
          )}
        </>
      )}
    </Line>
  )
}

/** Whether the log is what the brain wrote: the newest row, and the last verification of all rows. */
export const Integrity = ({ slug }: { readonly slug: string }) => {
  const { audit: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const canAudit = useCanAudit(slug)
  const refetchInterval = useRefetchInterval(refetchMillis)
  const health = useQuery({ ...healthQuery, refetchInterval })
  const head = health.data?.checks.audit_chain
  if (health.isError && health.data === undefined) return <ErrorNotice error={health.error} />
  if (head === undefined) return null
  return (
    <div className="px-4 pb-4">
      <Panel title={texts.chain}>
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 px-4 pt-3">
          <Line name={texts.head}>
            <span className={colours[head.status]}>{texts.states[head.status]}</span>{" "}
            <span className="text-soft">{head.detail ?? texts.headOk}</span>
          </Line>
          {canAudit && (
            <Line name={texts.verification}>
              <Verification slug={slug} />
            </Line>
          )}
          {me?.is_admin === true && <Forwarder />}
        </dl>
        <p className="px-4 pt-1 pb-3 text-small text-soft">{texts.chainHint}</p>
      </Panel>
    </div>
  )
}
