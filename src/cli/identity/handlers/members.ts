import { Console, Effect, type Option } from "effect"
import { GrantMembership, type Membership } from "../../../domain/identity/Membership.ts"
import type { Role } from "../../../domain/kernel/Access.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatTable } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"
import { findUser } from "./users.ts"

interface Printing {
  readonly project: Option.Option<string>
  readonly json: boolean
}

const columns: ReadonlyArray<Column<Membership>> = [
  { head: "EMAIL", cell: ({ user_email }) => user_email, minLength: 16 },
  { head: "NAME", cell: ({ user_display_name }) => user_display_name, maxLength: 40, minLength: 8, dropRank: 1 },
  { head: "ROLE", cell: ({ role }) => role },
  { head: "SINCE", cell: ({ created_at }, view) => formatAge(created_at, view), dropRank: 2 },
  { head: "USER", cell: ({ user_id }) => user_id, dropRank: 3 }
]

export const list = ({ json, project }: Printing) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.memberships.list({ path: { slug }, withResponse: true }),
      (answer) => printAnswer(answer, json, (members, _text, view) => formatTable(columns, members, view))
    ))

const describeMember = ({ role, user_email }: Membership): string => `${escapeText(user_email)} is ${role}`

export const add = ({ json, project, role, user }: Printing & { readonly user: string; readonly role: Role }) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const user_id = user.includes("@") ? (yield* findUser(remote, user)).id : user
      const payload = yield* decodeInput(GrantMembership, { user_id, role })
      const answer = yield* remote.api.memberships.grant({ path: { slug: remote.slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, describeMember)
    }))

/** The membership of this e-mail address or id of a user. */
const findMember = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    const wanted = given.toLowerCase()
    const members = yield* api.memberships.list({ path: { slug } })
    const found = members.find(({ user_email, user_id }) => user_email.toLowerCase() === wanted || user_id === wanted)
    return found ?? (yield* new CliError({
      message: `no such member: ${escapeText(given)}. svc members list shows those of the project`
    }))
  })

export const setRole = ({ json, member, project, role }: Printing & { readonly member: string; readonly role: Role }) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id } = yield* findMember(remote, member)
      const path = { slug: remote.slug, membership_id: id }
      const answer = yield* remote.api.memberships.update({ path, payload: { role }, withResponse: true })
      yield* printAnswer(answer, json, describeMember)
    }))

export const remove = ({ member, project, yes }: {
  readonly member: string
  readonly project: Option.Option<string>
  readonly yes: boolean
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id, user_email } = yield* findMember(remote, member)
      const label = `${escapeText(user_email)} from the project ${remote.slug}`
      yield* confirm(yes, `Remove ${label}? Their live streams of it end at once.`)
      yield* remote.api.memberships.delete({ path: { slug: remote.slug, membership_id: id } })
      yield* Console.log(`removed ${label}`)
    }))
