import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { useCan } from "../session/permissions.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ErrorNotice } from "../ui/Notices.tsx"
import { useAction } from "../ui/useAction.ts"
import { automationKey, settingsQuery } from "./queries.ts"

const refetchMillis = 15_000

const setEnabled = (slug: string, automation_enabled: boolean) =>
  unwrap(
    api.PUT("/api/v1/projects/{slug}/automation/settings", {
      params: { path: { slug } },
      body: { automation_enabled }
    })
  )

/** Stops every rule of the project, and says what that means while they are stopped. */
export const KillSwitch = ({ slug }: { readonly slug: string }) => {
  const { automation: texts, keepRunning } = useTexts()
  const isAdmin = useCan(slug, "admin")
  const refetchInterval = useRefetchInterval(refetchMillis)
  const { data: settings, error, refetch } = useQuery({ ...settingsQuery(slug), refetchInterval })
  const [isAsking, setAsking] = useState(false)
  const queries = useQueryClient()
  const start = useAction(automationKey(slug), () => setEnabled(slug, true))
  const notice = error !== null && <ErrorNotice error={error} onRetry={() => void refetch()} />
  if (settings === undefined) return notice
  return (
    <>
      {notice}
      <div
        role="group" // the list is the region of this name
        aria-label={texts.title}
        className="mx-4 mb-4 flex flex-wrap items-center gap-3 rounded-base border border-line bg-paper px-4 py-2"
      >
        {settings.automation_enabled ? <p>{texts.on}</p> : (
          <div className="grid gap-0.5">
            <p className="font-medium text-failure">{texts.off}</p>
            <p className="text-soft">{texts.offHint}</p>
          </div>
        )}
        {isAdmin && (
          <div className="ml-auto">
            {settings.automation_enabled
              ? <Button variant="danger" onClick={() => setAsking(true)}>{texts.stop}</Button>
              : (
                <Button variant="primary" disabled={start.isPending} onClick={() => start.mutate()}>
                  {texts.start}
                </Button>
              )}
          </div>
        )}
        {isAsking && (
          <FormDialog
            title={texts.stopQuestion}
            submit={texts.stop}
            dismiss={keepRunning}
            variant="danger"
            onClose={() => setAsking(false)}
            onSubmit={async () => {
              await setEnabled(slug, false)
              await queries.invalidateQueries({ queryKey: automationKey(slug) })
            }}
          >
            <p className="text-soft">{texts.stopHint}</p>
          </FormDialog>
        )}
      </div>
    </>
  )
}
