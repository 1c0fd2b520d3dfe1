import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useRefetchInterval } from "../api/live.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { FormDialog } from "../ui/FormDialog.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { RadioField } from "../ui/RadioField.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { membersQuery, roleOf } from "./members.ts"

type Member = Schemas["Membership"]

const nameOf = ({ user_display_name, user_email }: Member) => user_display_name ?? user_email

const RoleForm = ({ member, onClose, slug }: {
  readonly slug: string
  readonly member: Member
  readonly onClose: () => void
}) => {
  const { forms, people: texts } = useTexts()
  const queries = useQueryClient()
  return (
    <FormDialog
      title={texts.changeRoleOf(nameOf(member))}
      submit={forms.save}
      onClose={onClose}
      onSubmit={async (form) => {
        await unwrap(api.PATCH("/api/v1/projects/{slug}/memberships/{membership_id}", {
          params: { path: { slug, membership_id: member.id } },
          body: { role: roleOf(form) }
        }))
        await Promise.all([
          queries.invalidateQueries(membersQuery(slug)),
          queries.invalidateQueries(meQuery)
        ])
      }}
    >
      <RadioField label={texts.role} name="role" choices={texts.roles} hints={texts.roleHints} initial={member.role} />
      <p className="text-soft">{texts.roleAppliesAtOnce}</p>
    </FormDialog>
  )
}

const RemoveQuestion = ({ isOwn, member, onClose, slug }: {
  readonly slug: string
  readonly member: Member
  readonly isOwn: boolean
  readonly onClose: () => void
}) => {
  const { people: texts } = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  return (
    <FormDialog
      title={texts.removeTitle(nameOf(member))}
      submit={texts.remove}
      variant="danger"
      onClose={onClose}
      onSubmit={async () => {
        await unwrap(api.DELETE("/api/v1/projects/{slug}/memberships/{membership_id}", {
          params: { path: { slug, membership_id: member.id } }
        }))
        const me = await queries.fetchQuery({ ...meQuery, staleTime: 0 })
        if (isOwn && me?.is_admin !== true) return navigate({ to: "/" })
        return queries.invalidateQueries(membersQuery(slug))
      }}
    >
      <p className="text-soft">{isOwn ? texts.removeSelfHint : texts.removeHint}</p>
    </FormDialog>
  )
}

/** The project's members with their roles, and what an admin can change about them. */
export const Members = ({ slug }: { readonly slug: string }) => {
  const { people: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const list = useQuery({ ...membersQuery(slug), refetchInterval: useRefetchInterval(15_000) })
  const [changing, setChanging] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  return (
    <>
      <ListFrame
        list={list}
        isEmpty={list.data?.length === 0}
        empty={<EmptyState title={texts.noMembers} hint={texts.noMembersHint} />}
      >
        <Table
          label={texts.members}
          rows={list.data ?? []}
          rowKey={({ id }) => id}
          columns={[
            {
              title: texts.person,
              cell: (member) => (
                <span className="flex min-w-0 flex-wrap gap-x-2">
                  <span className="font-medium">{nameOf(member)}</span>
                  {member.user_display_name !== null && <span className="break-all text-soft">{member.user_email}
                  </span>}
                  {member.user_id === me?.id && <span className="text-soft">({texts.you})</span>}
                </span>
              )
            },
            {
              title: texts.role,
              cell: ({ role }) => <span title={texts.roleHints[role]}>{texts.roles[role]}</span>
            },
            { title: texts.since, isNumber: true, isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: texts.actions,
              isNumber: true,
              cell: (member) => (
                <span className="flex justify-end gap-1 py-0.5 max-md:grid">
                  <Button
                    variant="quiet"
                    aria-label={texts.changeRoleOf(nameOf(member))}
                    onClick={() => setChanging(member)}
                  >
                    {texts.changeRole}
                  </Button>
                  <Button
                    variant="quiet"
                    aria-label={texts.removeTitle(nameOf(member))}
                    onClick={() => setRemoving(member)}
                  >
                    {texts.remove}
                  </Button>
                </span>
              )
            }
          ]}
        />
      </ListFrame>
      {changing !== null && <RoleForm slug={slug} member={changing} onClose={() => setChanging(null)} />}
      {removing !== null && (
        <RemoveQuestion
          slug={slug}
          member={removing}
          isOwn={removing.user_id === me?.id}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}
