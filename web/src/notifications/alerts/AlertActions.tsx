import { useState } from "react"
import { useNow } from "../../format/now.ts"
import { useTexts } from "../../i18n/Language.tsx"
import { useCan } from "../../session/permissions.ts"
import { Button } from "../../ui/Button.tsx"
import { UntilDialog } from "../../ui/UntilDialog.tsx"
import { type Alert, isSnoozed } from "./state.ts"
import { useAlertActions } from "./useAlertActions.ts"

/** What a person does about an open alert. Operators act on the project's alerts, and each person on their own. */
export const AlertActions = ({ alert, slug }: { readonly slug: string; readonly alert: Alert }) => {
  const { alerts: texts } = useTexts()
  const now = useNow()
  const isOperator = useCan(slug, "operator")
  const { acknowledge, snooze } = useAlertActions(slug)
  const [isAsking, setAsking] = useState(false)
  if (alert.status !== "open" || !(isOperator || alert.is_personal)) return null
  const { acknowledged_at, id } = alert
  return (
    <div className="flex shrink-0 gap-2 max-md:w-full">
      {acknowledged_at === null
        ? (
          <Button
            variant="primary"
            className="max-md:h-11 max-md:flex-1"
            disabled={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ id, acknowledged: true })}
          >
            {texts.acknowledge}
          </Button>
        )
        : (
          <Button
            className="max-md:h-11 max-md:flex-1"
            disabled={acknowledge.isPending}
            onClick={() => acknowledge.mutate({ id, acknowledged: false })}
          >
            {texts.takeBack}
          </Button>
        )}
      <Button
        className="max-md:h-11 max-md:flex-1"
        disabled={snooze.isPending}
        onClick={() => setAsking(true)}
      >
        {isSnoozed(alert, now) ? texts.changeSnooze : texts.snooze}
      </Button>
      {isAsking && (
        <UntilDialog
          title={texts.snoozeQuestion}
          subject={alert.title}
          hint={texts.snoozeHint}
          other={texts.snoozeOther}
          end={texts.endSnooze}
          silentUntil={alert.snoozed_until}
          onChoose={(until) => snooze.mutate({ id, until })}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
