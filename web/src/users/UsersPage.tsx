import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, type Schemas, unwrap } from "../api/client.ts"
import { useTexts } from "../i18n/Language.tsx"
import { meQuery } from "../session/session.ts"
import { Button } from "../ui/Button.tsx"
import { ListFrame } from "../ui/ListFrame.tsx"
import { MoreButton } from "../ui/MoreButton.tsx"
import { EmptyState } from "../ui/Notices.tsx"
import { PageHeader } from "../ui/PageHeader.tsx"
import { Table } from "../ui/Table.tsx"
import { Time } from "../ui/Time.tsx"
import { usePagedList } from "../ui/usePagedList.ts"
import { CreateUserForm, DeleteUserQuestion, EditUserForm, nameOf, PasswordOfUserForm, usersKey } from "./UserForms.tsx"

type User = Schemas["UserDetail"]

const pageSize = 100

/** A page by offset, in the form of one by cursor. */
const readPage = async (cursor: string | null) => {
  const offset = Number(cursor ?? 0)
  const items = await unwrap(api.GET("/api/v1/users", { params: { query: { limit: pageSize, offset } } }))
  return { items, next_cursor: items.length < pageSize ? null : String(offset + pageSize) }
}

/** Every account, for global admins. */
export const UsersPage = () => {
  const { account, nav, people, users: texts } = useTexts()
  const { data: me } = useQuery(meQuery)
  const list = usePagedList({ key: usersKey, read: readPage, refetchMillis: 30_000 })
  const [isCreating, setCreating] = useState(false)
  const [shown, setShown] = useState<{ readonly dialog: "edit" | "password" | "delete"; readonly user: User } | null>(
    null
  )
  const close = () => setShown(null)
  const actions = { edit: texts.edit, password: texts.setPassword, delete: texts.delete } as const
  return (
    <>
      <PageHeader title={nav.users}>
        {me?.is_admin === true && (
          <Button variant="primary" className="ml-auto" onClick={() => setCreating(true)}>{texts.create}</Button>
        )}
      </PageHeader>
      <p className="max-w-[80ch] px-4 pb-3 text-soft">{texts.hint}</p>
      <ListFrame list={list} isEmpty={list.rows.length === 0} empty={<EmptyState title={texts.none} />}>
        <Table
          label={nav.users}
          rows={list.rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: people.person,
              cell: (user) => (
                <span className="flex min-w-0 flex-wrap gap-x-2">
                  <span className="font-medium">{nameOf(user)}</span>
                  {user.display_name !== null && <span className="break-all text-soft">{user.email}</span>}
                  {user.id === me?.id && <span className="text-soft">({people.you})</span>}
                </span>
              )
            },
            {
              title: people.status,
              cell: ({ is_active, is_admin }) => (
                <>
                  {is_active ? texts.active : <span className="text-stopped">{texts.inactive}</span>}
                  {is_admin && <span className="text-soft">{`, ${account.globalAdmin}`}</span>}
                </>
              )
            },
            {
              title: texts.lastLogin,
              isNumber: true,
              isMinor: true,
              cell: ({ last_login_at }) => (last_login_at === null ? texts.never : <Time at={last_login_at} />)
            },
            { title: texts.created, isNumber: true, isMinor: true, cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: people.actions,
              isNumber: true,
              cell: (user) => (
                <span className="flex justify-end max-md:grid">
                  {(["edit", "password", "delete"] as const).map((dialog) => (
                    <Button
                      key={dialog}
                      variant="quiet"
                      aria-label={`${actions[dialog]}: ${nameOf(user)}`}
                      onClick={() => setShown({ dialog, user })}
                    >
                      {actions[dialog]}
                    </Button>
                  ))}
                </span>
              )
            }
          ]}
        />
        <MoreButton list={list} />
      </ListFrame>
      {isCreating && <CreateUserForm onClose={() => setCreating(false)} />}
      {shown?.dialog === "edit" && <EditUserForm user={shown.user} onClose={close} />}
      {shown?.dialog === "password" && <PasswordOfUserForm user={shown.user} onClose={close} />}
      {shown?.dialog === "delete" && <DeleteUserQuestion user={shown.user} onClose={close} />}
    </>
  )
}
