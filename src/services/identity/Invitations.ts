import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { CreatedInvitation, CreateInvitation, Invitation } from "../../domain/identity/Invitation.ts"
import { normalizeEmail } from "../../domain/identity/User.ts"
import { Conflict, NotFound } from "../../domain/kernel/Errors.ts"
import { InvitationId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { ApprovalGate } from "../approvalGate/Gate.ts"
import { makeNew } from "../approvalGate/Subject.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CurrentActor, CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Mail } from "../kernel/Mail.ts"
import { invitationMessage } from "../kernel/Mail/Templates.ts"
import { publicUrlOf } from "../kernel/PublicUrl.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { lockName } from "../kernel/sql/Dialect.ts"
import { orFail } from "../kernel/sql/Rows.ts"
import { EscalationPolicy } from "./ApiKeys/EscalationPolicy.ts"
import { InvitationsRepo } from "./Invitations/Repo.ts"

/** After this many invitations a day, an address gets no more mail; the inviter still has the link. */
const maxDailyMailsPerAddress = 5

/** Mailed invitations of one project a day; without it, the holder of one admin's key could mail any address. */
const maxDailyMailsPerProject = 200

const alreadyMember = new Conflict({
  code: "already_member",
  detail: "The account with this address is a member of the project already. Change the role of that membership."
})

const alreadyAccepted = new Conflict({
  code: "invitation_accepted",
  detail: "The invitation was accepted. Remove the membership instead."
})

/** Invitations for a project's admins; `InvitationAcceptance` serves the invited person. */
export class Invitations extends Effect.Service<Invitations>()("svc/Invitations", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* InvitationsRepo
    const mail = yield* Mail
    const reach = yield* EscalationPolicy
    const gate = yield* ApprovalGate
    const audit = yield* Audit
    const settings = yield* Settings

    /** Newest first, including accepted, revoked and expired ones. */
    const list = Effect.fn("Invitations.list")(
      () => Effect.flatMap(CurrentProject, ({ id }) => repo.list(id)),
      orDieOnSql
    )

    /**
     * Invites an address, mails the link where mail is enabled, and revokes the earlier invitation of the address to
     * the project. The token is in this result only. Callers can grant at most their own role.
     */
    const create = Effect.fn("Invitations.create")(
      function*(input: CreateInvitation) {
        const { email, role, ttl_days } = input
        const project = yield* CurrentProject
        yield* reach.requireRoleGrant(project.id, role)
        const actor = yield* CurrentActor
        const addressKey = normalizeEmail(email)
        const now = yield* Timestamp.now
        yield* lockName(sql, "invitations") // the limits of mails, and one open invitation for an address
        if (yield* repo.isMember(project.id, addressKey)) return yield* alreadyMember
        yield* gate.check({
          kind: "invitation",
          request: input,
          summary: `Invite ${email} as an admin of the project`,
          subject: Effect.succeed(makeNew({ ...input }))
        }, () => role === "admin")
        const recentCounts = yield* repo.countSince(
          project.id,
          addressKey,
          Timestamp.addSeconds(now, -Timestamp.secondsPerDay)
        )
        const replacedInvitationId = yield* repo.revokePending(project.id, addressKey, now)
        const token = yield* Ids.secret
        const invitation: Invitation = {
          id: yield* Ids.nextOf(InvitationId),
          project_id: project.id,
          email,
          role,
          invited_by: actor.kind === "person" ? actor.user_id : null,
          expires_at: Timestamp.addSeconds(now, ttl_days * Timestamp.secondsPerDay),
          accepted_at: null,
          revoked_at: null,
          created_at: now
        }
        yield* repo.insert(invitation, addressKey, Ids.hashSecret(token))
        const accept_url_path = `/invitation?token=${token}`
        const email_sent = mail.isEnabled && recentCounts.of_address < maxDailyMailsPerAddress &&
          recentCounts.of_project < maxDailyMailsPerProject
        if (email_sent) {
          const url = publicUrlOf(settings)
          const message = invitationMessage({
            to: email,
            inviter: actor.kind === "person" ? actor.email : null,
            project: project.name,
            role,
            url,
            link: url + accept_url_path,
            expires_at: invitation.expires_at
          })
          // given up after a day; the inviter still has the link
          yield* mail.enqueue(message, Timestamp.addSeconds(now, Timestamp.secondsPerDay))
        }
        yield* audit.record(auditEntry("invitation.created", "invitation", invitation.id, {
          project_id: project.id,
          metadata: { email, role, expires_at: invitation.expires_at, email_sent, replaced: replacedInvitationId }
        }))
        return { invitation, token, accept_url_path, email_sent } satisfies CreatedInvitation
      },
      sql.withTransaction,
      gate.record,
      orDieOnSql
    )

    /** Revokes the invitation; an accepted, revoked or expired one stays as it is. */
    const revoke = Effect.fn("Invitations.revoke")(function*(id: InvitationId) {
      const project = yield* CurrentProject
      const invitation = yield* Effect.flatMap(
        repo.findById(project.id, id),
        orFail(new NotFound({ resource: "invitation" }))
      )
      if (invitation.accepted_at !== null) return yield* alreadyAccepted
      if (!(yield* repo.revoke(id, yield* Timestamp.now))) return
      yield* audit.record(auditEntry("invitation.revoked", "invitation", id, {
        project_id: project.id,
        metadata: { email: invitation.email }
      }))
    }, inTransaction(sql))

    return { list, create, revoke } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([ApprovalGate.layer, EscalationPolicy.layer, InvitationsRepo.layer, Mail.layer])
  )
}
