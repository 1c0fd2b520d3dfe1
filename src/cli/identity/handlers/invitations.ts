import { Console, Effect, type Option } from "effect"
import { CreateInvitation, type Invitation } from "../../../domain/identity/Invitation.ts"
import type { Role } from "../../../domain/kernel/Access.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatTable } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

interface Printing {
  readonly project: Option.Option<string>
  readonly json: boolean
}

const stateOf = ({ accepted_at, expires_at, revoked_at }: Invitation, nowMillis: number): string => {
  if (accepted_at !== null) return "accepted"
  if (revoked_at !== null) return "revoked"
  return Date.parse(expires_at) < nowMillis ? "expired" : "open"
}

const columns: ReadonlyArray<Column<Invitation>> = [
  { head: "EMAIL", cell: ({ email }) => email, minLength: 16 },
  { head: "ROLE", cell: ({ role }) => role },
  { head: "STATE", cell: (invitation, { nowMillis }) => stateOf(invitation, nowMillis) },
  { head: "EXPIRES", cell: ({ expires_at }) => expires_at.slice(0, 16).replace("T", " "), dropRank: 1 },
  { head: "ID", cell: ({ id }) => id, dropRank: 2 }
]

export const list = ({ json, project }: Printing) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.invitations.list({ path: { slug }, withResponse: true }),
      (answer) => printAnswer(answer, json, (invitations, _text, view) => formatTable(columns, invitations, view))
    ))

export const create = ({ days, email, json, project, role }: Printing & {
  readonly email: string
  readonly role: Role
  readonly days: number
}) =>
  withRemote(project, ({ access, api, slug }) =>
    Effect.gen(function*() {
      const payload = yield* decodeInput(CreateInvitation, { email, role, ttl_days: days })
      const answer = yield* api.invitations.create({ path: { slug }, payload, withResponse: true })
      yield* printAnswer(answer, json, ({ accept_url_path, email_sent, invitation }) =>
        [
          `invited ${escapeText(invitation.email)} as ${invitation.role}, until ${invitation.expires_at}.${
            email_sent ? " A mail has the link, too." : ""
          } The link, shown only now:`,
          escapeText(new URL(accept_url_path, access.url).href)
        ].join("\n"))
    }))

export const revoke = ({ invitation: given, project }: Omit<Printing, "json"> & { readonly invitation: string }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const wanted = given.toLowerCase()
      const invitations = yield* api.invitations.list({ path: { slug } })
      const found = invitations.find(({ accepted_at, email, id, revoked_at }) =>
        id === wanted || (email.toLowerCase() === wanted && accepted_at === null && revoked_at === null)
      )
      if (found === undefined) {
        return yield* new CliError({
          message: `no open invitation: ${escapeText(given)}. svc invitations list shows those of the project`
        })
      }
      yield* api.invitations.revoke({ path: { slug, invitation_id: found.id } })
      yield* Console.log(`revoked the invitation of ${escapeText(found.email)}`)
    }))
