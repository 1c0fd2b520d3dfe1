import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { api, unwrap } from "../../api/client.ts"
import { useRefetchInterval } from "../../api/live.ts"
import { groupQuery } from "../../failures/queries.ts"
import { RetryGroupButton } from "../../failures/RetryGroupButton.tsx"
import { usualWindow } from "../../failures/search.ts"
import { useNow } from "../../format/now.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { useCan } from "../../session/permissions.ts"
import { Icon } from "../../ui/Icon.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { linkClass } from "../../ui/TextLink.tsx"
import { AlertActions } from "./AlertActions.tsx"
import { AlertDetails } from "./AlertDetails.tsx"
import { AlertMark } from "./AlertMark.tsx"
import { AlertTimes } from "./AlertTimes.tsx"
import { stateOf } from "./state.ts"

const refetchMillis = 5_000

/** One alert: what is wrong, what a person can do about it, and which pages show more. */
export const AlertPage = () => {
  const { alertId, slug } = useParams({ from: "/signed-in/projects/$slug/notifications/alerts/$alertId" })
  const { alerts: texts, notifications, nav } = useTexts()
  const now = useNow()
  const isAdmin = useCan(slug, "admin")
  const isOperator = useCan(slug, "operator")
  const refetchInterval = useRefetchInterval(refetchMillis)
  const query = useQuery({
    queryKey: ["alerts", slug, "one", alertId],
    queryFn: () =>
      unwrap(
        api.GET("/api/v1/projects/{slug}/notifications/alerts/{alert_id}", {
          params: { path: { slug, alert_id: alertId } }
        })
      ),
    refetchInterval
  })
  const alert = query.data
  const fingerprint = alert?.fingerprint ?? null
  const { data: group } = useQuery({
    ...groupQuery(slug, fingerprint ?? "", usualWindow),
    enabled: fingerprint !== null,
    refetchInterval
  })
  return (
    <>
      <div className="px-4 pt-3">
        <Link
          to="/projects/$slug/notifications"
          params={{ slug }}
          className="inline-flex items-center gap-1 text-soft hover:text-ink"
        >
          <Icon name="back" />
          {texts.all}
        </Link>
      </div>
      <PageHeader title={alert?.title ?? notifications.parts.alerts} />
      <ListFrame list={query} isEmpty={alert === undefined} empty={null}>
        {alert !== undefined && (
          <div className="grid gap-4 px-4 pb-6">
            <div className="flex flex-wrap items-center gap-3">
              <AlertMark state={stateOf(alert, now)} />
              <span className="text-soft">{texts.stateHints[stateOf(alert, now)]}</span>
              {alert.is_personal && <span className="text-soft">{texts.personal}</span>}
            </div>
            <div className="flex flex-wrap gap-2">
              <AlertActions slug={slug} alert={alert} />
              {group !== undefined && <RetryGroupButton slug={slug} group={group} />}
            </div>
            {alert.exception !== null && (
              <Panel title={texts.message}>
                <p className="px-4 py-3 font-mono break-words">{alert.exception}</p>
              </Panel>
            )}
            <AlertDetails alert={alert} group={group} slug={slug} />
            <AlertTimes alert={alert} />
            {isOperator && alert.trigger === "approval.requested" && (
              <p>
                <Link to="/projects/$slug/approvals" params={{ slug }} search={{}} className={linkClass.text}>
                  {nav.approvals}
                </Link>
              </p>
            )}
            {isAdmin && (
              <p>
                <Link
                  to="/projects/$slug/notifications"
                  params={{ slug }}
                  search={{ part: "deliveries", alert: alert.id }}
                  className={linkClass.text}
                >
                  {texts.deliveries}
                </Link>
              </p>
            )}
          </div>
        )}
      </ListFrame>
    </>
  )
}
