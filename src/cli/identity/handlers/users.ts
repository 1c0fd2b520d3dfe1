import { Console, Effect, Redacted } from "effect"
import type { MfaPolicy } from "../../../domain/identity/Mfa.ts"
import { CreateUser, type UpdateUser, type UserDetail } from "../../../domain/identity/User.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { readPassword } from "../../io/Passwords.ts"
import { hasIdPart } from "../../io/ShortId.ts"
import { type Column, formatAge, formatTable, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, show } from "../../remote/Handlers.ts"
import { printResponse, type Remote } from "../../remote/Remote.ts"
import type { definitions } from "../users.ts"

const columns: ReadonlyArray<Column<UserDetail>> = [
  { head: "EMAIL", cell: ({ email }) => email, minLength: 16 },
  { head: "NAME", cell: ({ display_name }) => display_name, maxLength: 40, minLength: 8, dropRank: 2 },
  { head: "ADMIN", cell: ({ is_admin }) => is_admin ? "yes" : null },
  { head: "STATE", cell: ({ is_active }) => is_active ? "active" : "inactive" },
  { head: "SIGNED IN", cell: ({ last_login_at }, view) => formatAge(last_login_at, view), dropRank: 1 },
  idColumn("ID", ({ id }) => id, { dropRank: 3 })
]

/** The largest page of the API. */
const pageSize = 500

/** The account of this e-mail address or id, or part of an id. */
export const findUser = ({ api }: Remote, given: string) =>
  Effect.gen(function*() {
    const wanted = given.toLowerCase()
    const candidates: Array<UserDetail> = []
    for (let offset = 0;; offset += pageSize) {
      const users = yield* api.users.list({ urlParams: { limit: pageSize, offset } })
      const found = users.find(({ email, id }) => email.toLowerCase() === wanted || id === wanted)
      if (found !== undefined) return found
      candidates.push(...users.filter(({ id }) => hasIdPart(id, wanted)))
      if (users.length < pageSize) break
    }
    return yield* findOne(candidates, { what: "user", given, nameOf: ({ email }) => email, listedBy: "svc users list" })
  })

const change = (payload: UpdateUser, done: string) =>
  show(function*(remote, { user }: OptionsOf<typeof definitions.enable>) {
    const { id } = yield* findUser(remote, user)
    return yield* remote.api.users.update({ path: { user_id: id }, payload, withResponse: true })
  }, ({ email }) => `${escapeText(email)} ${done}`)

const describePolicy = (policy: MfaPolicy): string => {
  const who = policy.required_for_all ? "everyone" : policy.required_for_admins ? "global admins" : "nobody"
  const bySetting = policy.required_by_setting ? " (SVC_MFA_ENFORCE_FOR_ALL)" : ""
  const until = who === "nobody" ? "" : `, within ${policy.grace_days} days of the next sign-in`
  return `a second factor is required of ${who}${bySetting}${until}; ` +
    `${policy.active_users_without} of ${policy.active_users} active users have none`
}

export const handlers: HandlersOf<typeof definitions> = {
  list: call(function*({ api }, { json, offset }) {
    const response = yield* api.users.list({ urlParams: { limit: pageSize, offset }, withResponse: true })
    yield* printResponse(
      response,
      json,
      (users, _text, view) =>
        formatTable(columns, users, view) + (users.length < pageSize ? "" : `\nmore: --offset ${offset + pageSize}`)
    )
  }),
  create: show(function*({ api }, { admin, displayName, email, passwordStdin }) {
    const password = Redacted.value(yield* readPassword(passwordStdin))
    const payload = yield* decodeInput(CreateUser, {
      email,
      password,
      is_admin: admin,
      ...givenOf({ display_name: displayName })
    })
    return yield* api.users.create({ payload, withResponse: true })
  }, ({ email, id }) => `created the account ${escapeText(email)} (${id})`),
  enable: change({ is_active: true }, "can sign in"),
  disable: change({ is_active: false }, "cannot sign in any more; sessions and keys have ended"),
  promote: change({ is_admin: true }, "is a global admin"),
  demote: change({ is_admin: false }, "is no global admin any more"),
  "second-factor": show(function*({ api }, { optional, require }) {
    if (require && optional) {
      return yield* new CliError({ usage: true, message: "--require and --optional exclude each other" })
    }
    return require || optional
      ? yield* api.admin.setMfaPolicy({ payload: { required_for_all: require }, withResponse: true })
      : yield* api.admin.mfaPolicy({ withResponse: true })
  }, describePolicy),
  delete: call(function*(remote, { user, yes }) {
    const { email, id } = yield* findUser(remote, user)
    const label = `the account ${escapeText(email)} (${id})`
    yield* confirm(yes, `Delete ${label} with its sessions, keys and memberships?`)
    yield* remote.api.users.delete({ path: { user_id: id } })
    yield* Console.log(`deleted ${label}`)
  })
}
