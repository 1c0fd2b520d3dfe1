import { useQuery } from "@tanstack/react-query"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useNow } from "../format/now.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { useAction } from "../ui/useAction.ts"
import { invitationsQuery } from "./members.ts"

const statusOf = ({ accepted_at, expires_at, revoked_at }: Schemas["Invitation"], now: number) =>
  accepted_at !== null
    ? "accepted"
    : revoked_at !== null
    ? "revoked"
    : Date.parse(expires_at) <= now
    ? "expired"
    : "pending"

/** Who is invited and has not joined yet, and what became of earlier invitations. */
export const Invitations = ({ slug }: { readonly slug: string }) => {
  const { people: texts } = useTexts()
  const now = useNow()
  const list = useQuery({ ...invitationsQuery(slug), refetchInterval: useRefetchInterval(15_000) })
  const revoke = useAction(
    invitationsQuery(slug).queryKey,
    (invitation_id: string) =>
      unwrap(api.DELETE("/api/v1/projects/{slug}/invitations/{invitation_id}", {
        params: { path: { slug, invitation_id } }
      }))
  )
  return (
    <ListFrame
      list={list}
      isEmpty={list.data?.length === 0}
      empty={<EmptyState title={texts.noInvitations} hint={texts.noInvitationsHint} />}
    >
      <Table
        label={texts.invitations}
        rows={list.data ?? []}
        rowKey={({ id }) => id}
        columns={[
          { title: texts.email, cell: ({ email }) => <span className="break-all">{email}</span> },
          { title: texts.role, cell: ({ role }) => texts.roles[role] },
          {
            title: texts.status,
            cell: (invitation) => texts.statuses[statusOf(invitation, now)]
          },
          {
            title: texts.expires,
            isNumber: true,
            isMinor: true,
            cell: (invitation) =>
              statusOf(invitation, now) === "pending" && <Time isPlanned at={invitation.expires_at} />
          },
          {
            title: texts.actions,
            isNumber: true,
            cell: (invitation) =>
              statusOf(invitation, now) === "pending" && (
                <Button
                  variant="quiet"
                  aria-label={texts.revokeOf(invitation.email)}
                  disabled={revoke.isPending}
                  onClick={() => revoke.mutate(invitation.id)}
                >
                  {texts.revoke}
                </Button>
              )
          }
        ]}
      />
    </ListFrame>
  )
}
