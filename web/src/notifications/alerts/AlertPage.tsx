import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { api, type Schemas, unwrap } from "../../api/client.ts"
import { useRefetchInterval } from "../../api/live.ts"
import { GroupLink } from "../../failures/GroupLink.tsx"
import { groupQuery } from "../../failures/queries.ts"
import { RetryGroupButton } from "../../failures/RetryGroupButton.tsx"
import { usualWindow } from "../../failures/search.ts"
import { useNow } from "../../format/now.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { QueueLink } from "../../queues/QueueLink.tsx"
import { useCan } from "../../session/permissions.ts"
import { TaskLink, TaskListLink, TaskNameLink } from "../../tasks/TaskLinks.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { ListFrame } from "../../ui/ListFrame.tsx"
import { PageHeader } from "../../ui/PageHeader.tsx"
import { Fact, Facts, Panel } from "../../ui/Panel.tsx"
import { linkClass } from "../../ui/TextLink.tsx"
import { Time } from "../../ui/Time.tsx"
import { WorkerLink } from "../../workers/WorkerLink.tsx"
import { AlertActions } from "./AlertActions.tsx"
import { AlertMark } from "./AlertMark.tsx"
import { AcknowledgedBy } from "./AlertRow.tsx"
import { type Alert, stateOf } from "./state.ts"

const refetchMillis = 5_000

const Times = ({ alert }: { readonly alert: Alert }) => {
  const { alerts: texts } = useTexts()
  const { acknowledged_at, ended_at, escalated_at, first_at, last_at, last_sent_at, next_at, snoozed_until } = alert
  return (
    <Panel title={texts.timeline}>
      <Facts>
        <Fact name={texts.firstAt}>
          <Time at={first_at} />
        </Fact>
        <Fact name={texts.lastAt}>
          <Time at={last_at} />
        </Fact>
        {last_sent_at !== null && (
          <Fact name={texts.lastSentAt}>
            <Time at={last_sent_at} />
          </Fact>
        )}
        {acknowledged_at !== null && (
          <Fact name={texts.acknowledgedAt}>
            <Time at={acknowledged_at} />, <AcknowledgedBy alert={alert} />
          </Fact>
        )}
        {snoozed_until !== null && (
          <Fact name={texts.snoozedUntil}>
            <Time isPlanned at={snoozed_until} />
          </Fact>
        )}
        {escalated_at !== null && (
          <Fact name={texts.escalatedAt}>
            <Time at={escalated_at} />
          </Fact>
        )}
        {ended_at !== null && (
          <Fact name={texts.endedAt}>
            <Time at={ended_at} />
          </Fact>
        )}
        {next_at !== null && (
          <Fact name={texts.nextAt}>
            <Time isPlanned at={next_at} />
          </Fact>
        )}
      </Facts>
    </Panel>
  )
}

const About = ({ alert, group, slug }: {
  readonly alert: Alert
  /** What fails like the task of the alert. */
  readonly group: Schemas["FailureGroup"] | undefined
  readonly slug: string
}) => {
  const { alerts: texts, notifications } = useTexts()
  const format = useFormat()
  const { engine, messages, occurrences, queue, severity, shared, task_id, task_name, trigger, worker } = alert
  return (
    <Panel title={texts.facts}>
      <Facts>
        <Fact name={texts.severity}>{notifications.severities[severity]}</Fact>
        <Fact name={texts.trigger}>{notifications.triggers[trigger]}</Fact>
        <Fact name={texts.count}>{format.number(occurrences)}</Fact>
        <Fact name={texts.messages}>{format.number(messages)}</Fact>
        {group !== undefined && (
          <Fact name={texts.group}>
            <GroupLink slug={slug} group={group} />
          </Fact>
        )}
        {task_name !== null && (
          <Fact name={texts.task}>
            <TaskNameLink slug={slug} name={task_name} />
          </Fact>
        )}
        {engine !== null && task_id !== null && (
          <Fact name={texts.lastTask}>
            <TaskLink slug={slug} engine={engine} taskId={task_id} />
          </Fact>
        )}
        {queue !== null && (
          <Fact name={texts.queue}>
            {engine === null
              ? <TaskListLink slug={slug} query={{ queue }}>{queue}</TaskListLink>
              : <QueueLink slug={slug} engine={engine} name={queue} />}
          </Fact>
        )}
        {worker !== null && (
          <Fact name={texts.worker}>
            <WorkerLink slug={slug} engine={engine} name={worker} />
          </Fact>
        )}
        {engine !== null && (
          <Fact name={texts.engine}>
            <TaskListLink slug={slug} query={{ engine }}>{engine}</TaskListLink>
          </Fact>
        )}
      </Facts>
      {shared.length > 0 && (
        <p className="border-t border-line px-4 py-3">
          <span className="text-soft">{texts.shared}:</span> {shared.join(", ")}
        </p>
      )}
    </Panel>
  )
}

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
            <About alert={alert} group={group} slug={slug} />
            <Times alert={alert} />
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
