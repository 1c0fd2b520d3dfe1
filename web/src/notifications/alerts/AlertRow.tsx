import { useQuery } from "@tanstack/react-query"
import { useNow } from "../../format/now.ts"
import { useFormat } from "../../format/useFormat.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { meQuery } from "../../session/session.ts"
import { TextLink } from "../../ui/TextLink.tsx"
import { Time } from "../../ui/Time.tsx"
import { AlertActions } from "./AlertActions.tsx"
import { AlertMark } from "./AlertMark.tsx"
import { type Alert, isSnoozed, stateOf } from "./state.ts"

/** Who acknowledged it: the API names the person by id, and no one where a message's link was used. */
export const AcknowledgedBy = ({ alert }: { readonly alert: Alert }) => {
  const { alerts: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const { acknowledged_by } = alert
  return texts.acknowledgedBy[acknowledged_by === null ? "link" : acknowledged_by === me?.id ? "you" : "other"]
}

/** One alert of the list, with what a person on call decides by, and the buttons. */
export const AlertRow = ({ alert, slug }: { readonly slug: string; readonly alert: Alert }) => {
  const { alerts: texts, notifications } = useTexts()
  const format = useFormat()
  const now = useNow()
  const { acknowledged_at, exception, is_personal, last_at, occurrences, severity, shared, snoozed_until, trigger } =
    alert
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-3 border-b border-line px-4 py-3 last:border-0">
      <div className="grid min-w-0 flex-1 gap-1 max-md:basis-full">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <AlertMark state={stateOf(alert, now)} />
          <TextLink
            to="/projects/$slug/notifications/alerts/$alertId"
            params={{ slug, alertId: alert.id }}
            look="row"
            className="min-w-0 font-medium break-words"
          >
            {alert.title}
          </TextLink>
        </div>
        <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-soft">
          <span>{notifications.severities[severity]}</span>
          <span>{notifications.triggers[trigger]}</span>
          <span className="figures">
            {texts.occurrences(format.count(occurrences))}
          </span>
          <span>
            {texts.last} <Time at={last_at} />
          </span>
          {is_personal && <span>{texts.personal}</span>}
        </p>
        {exception !== null && <p className="font-mono text-small break-words text-soft">{exception}</p>}
        {shared.length > 0 && <p className="text-soft">{`${texts.shared}: ${shared.join(", ")}`}</p>}
        {acknowledged_at !== null && (
          <p className="text-soft">
            {texts.states.acknowledged} <Time at={acknowledged_at} />, <AcknowledgedBy alert={alert} />
          </p>
        )}
        {snoozed_until !== null && isSnoozed(alert, now) && (
          <p className="text-soft">
            {texts.snoozedUntilTime(format.axis(Date.parse(snoozed_until), Date.parse(snoozed_until) - now))}{" "}
            (<Time isPlanned at={snoozed_until} />)
          </p>
        )}
      </div>
      <AlertActions slug={slug} alert={alert} />
    </li>
  )
}
