import { Console, Effect } from "effect"
import { GrantMembership, type Membership } from "../../../domain/identity/Membership.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { type Column, formatAge, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { Remote } from "../../remote/Remote.ts"
import type { memberDefinitions } from "../members.ts"
import { findUser } from "./users.ts"

const columns: ReadonlyArray<Column<Membership>> = [
  { head: "EMAIL", cell: ({ user_email }) => user_email, minLength: 16 },
  { head: "NAME", cell: ({ user_display_name }) => user_display_name, maxLength: 40, minLength: 8, dropRank: 1 },
  { head: "ROLE", cell: ({ role }) => role },
  { head: "SINCE", cell: ({ created_at }, view) => formatAge(created_at, view), dropRank: 2 },
  idColumn("USER", ({ user_id }) => user_id, { dropRank: 3 })
]

const describeMember = ({ role, user_email }: Membership): string => `${escapeText(user_email)} is ${role}`

/** The membership of this e-mail address or id of a user, or part of an id. */
const findMember = ({ api, slug }: Remote, given: string) =>
  Effect.flatMap(api.memberships.list({ path: { slug } }), (members) => {
    const users = members.map((member) => ({ id: member.user_id, email: member.user_email.toLowerCase(), member }))
    return Effect.map(
      findOne(users, {
        what: "member",
        given: given.toLowerCase(),
        nameOf: ({ email }) => email,
        listedBy: "svc members list"
      }),
      ({ member }) => member
    )
  })

export const handlers: HandlersOf<typeof memberDefinitions> = {
  list: list(columns, ({ api, slug }) => api.memberships.list({ path: { slug }, withResponse: true })),
  add: show(function*(remote, { role, user }) {
    const user_id = user.includes("@") ? (yield* findUser(remote, user)).id : user
    const payload = yield* decodeInput(GrantMembership, { user_id, role })
    return yield* remote.api.memberships.grant({ path: { slug: remote.slug }, payload, withResponse: true })
  }, describeMember),
  "set-role": show(function*(remote, { member, role }) {
    const { id } = yield* findMember(remote, member)
    const path = { slug: remote.slug, membership_id: id }
    return yield* remote.api.memberships.update({ path, payload: { role }, withResponse: true })
  }, describeMember),
  remove: call(function*(remote, { member, yes }) {
    const { id, user_email } = yield* findMember(remote, member)
    const label = `${escapeText(user_email)} from the project ${remote.slug}`
    yield* confirm(yes, `Remove ${label}? Their live streams of it end at once.`)
    yield* remote.api.memberships.delete({ path: { slug: remote.slug, membership_id: id } })
    yield* Console.log(`removed ${label}`)
  })
}
