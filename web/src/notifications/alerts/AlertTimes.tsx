import { useTexts } from "../../i18n/Language.tsx"
import { Fact, Facts, Panel } from "../../ui/Panel.tsx"
import { Time } from "../../ui/Time.tsx"
import { AcknowledgedBy } from "./AlertRow.tsx"
import type { Alert } from "./state.ts"

/** When an alert began, what was done about it since, and what comes next. */
export const AlertTimes = ({ alert }: { readonly alert: Alert }) => {
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
