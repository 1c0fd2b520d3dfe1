import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"
import { nameOfUserAgent } from "./userAgent.ts"

const key = ["sessions"]

/** Where the person is signed in; every session but this one can be ended here. */
export const Sessions = () => {
  const { account: texts, people } = useTexts()
  const format = useFormat()
  const [isAsking, setAsking] = useState(false)
  const list = useQuery({
    queryKey: key,
    queryFn: () => unwrap(api.GET("/api/v1/auth/sessions")),
    refetchInterval: useRefetchInterval(15_000)
  })
  const end = useAction(
    key,
    (session_id: string) =>
      unwrap(api.POST("/api/v1/auth/sessions/{session_id}/revoke", { params: { path: { session_id } } }))
  )
  const others = list.data?.filter(({ is_current }) => !is_current) ?? []
  return (
    <ListFrame list={list} isEmpty={list.data?.length === 0} empty={null}>
      <div className="flex flex-wrap items-center gap-3 px-4 pb-3">
        <p className="max-w-[72ch] text-soft">{texts.sessionsHint}</p>
        {others.length > 0 && <Button className="ml-auto" onClick={() => setAsking(true)}>{texts.endOthers}</Button>}
      </div>
      <Table
        label={texts.tabs.sessions}
        rows={list.data ?? []}
        rowKey={({ id }) => id}
        columns={[
          {
            title: texts.browser,
            cell: ({ is_current, user_agent_at_issue }) => (
              <span title={user_agent_at_issue ?? undefined}>
                <span className="font-medium">
                  {user_agent_at_issue === null ? texts.unknownBrowser : nameOfUserAgent(user_agent_at_issue)}
                </span>
                {is_current && <span className="text-soft">{` (${texts.thisSession})`}</span>}
              </span>
            )
          },
          { title: texts.address, cell: ({ ip_at_issue }) => <span className="figures">{ip_at_issue}</span> },
          { title: texts.signedIn, isNumber: true, isMinor: true, cell: ({ issued_at }) => <Time at={issued_at} /> },
          {
            title: texts.lastSeen,
            isNumber: true,
            isMinor: true,
            cell: ({ last_seen_at }) => <Time at={last_seen_at} />
          },
          {
            title: people.actions,
            isNumber: true,
            cell: ({ id, ip_at_issue, is_current }) =>
              !is_current && (
                <Button
                  variant="quiet"
                  aria-label={texts.endOf(ip_at_issue)}
                  disabled={end.isPending}
                  onClick={() => end.mutate(id)}
                >
                  {texts.end}
                </Button>
              )
          }
        ]}
      />
      {isAsking && (
        <FormDialog
          title={texts.endOthersTitle(format.count(others.length))}
          submit={texts.endOthers}
          variant="danger"
          onClose={() => setAsking(false)}
          onSubmit={async () => {
            await unwrap(api.POST("/api/v1/auth/sessions/revoke-others"))
            await list.refetch()
          }}
        />
      )}
    </ListFrame>
  )
}
