import { Console } from "effect"
import { CreateInvitation, type Invitation } from "../../../domain/identity/Invitation.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { type Column, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list } from "../../remote/Handlers.ts"
import { printResponse } from "../../remote/Remote.ts"
import type { invitationDefinitions } from "../members.ts"

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
  idColumn("ID", ({ id }) => id, { dropRank: 2 })
]

export const handlers: HandlersOf<typeof invitationDefinitions> = {
  list: list(columns, ({ api, slug }) => api.invitations.list({ path: { slug }, withResponse: true })),
  create: call(function*({ access, api, slug }, { days, email, json, role }) {
    const payload = yield* decodeInput(CreateInvitation, { email, role, ttl_days: days })
    const response = yield* api.invitations.create({ path: { slug }, payload, withResponse: true })
    yield* printResponse(response, json, ({ accept_url_path, email_sent, invitation }) =>
      [
        `invited ${escapeText(invitation.email)} as ${invitation.role}, until ${invitation.expires_at}.${
          email_sent ? " A mail has the link, too." : ""
        } The link, shown only now:`,
        escapeText(new URL(accept_url_path, access.url).href)
      ].join("\n"))
  }),
  revoke: call(function*({ api, slug }, { invitation: given }) {
    const found = yield* findOne(yield* api.invitations.list({ path: { slug } }), {
      what: "open invitation",
      given: given.toLowerCase(),
      nameOf: ({ accepted_at, email, revoked_at }) =>
        accepted_at === null && revoked_at === null ? email.toLowerCase() : null,
      listedBy: "svc invitations list"
    })
    yield* api.invitations.revoke({ path: { slug, invitation_id: found.id } })
    yield* Console.log(`revoked the invitation of ${escapeText(found.email)}`)
  })
}
