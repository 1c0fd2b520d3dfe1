import type { Timestamp } from "../../domain/Timestamp.ts"
import type { MailMessage } from "./Transport.ts"

/** What the letters say. Names that people chose are one short line in them, whatever they hold. */
const toSingleLine = (text: string): string => {
  const single = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return single.length > 100 ? `${single.slice(0, 100)}…` : single
}

const formatTime = (at: Timestamp): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

export const passwordResetMessage = (input: {
  readonly to: string
  readonly source_ip: string | null
  readonly url: string
  readonly link: string
  readonly expires_at: Timestamp
}): MailMessage => ({
  to: input.to,
  subject: "A new password for svc",
  text: `Somebody${input.source_ip === null ? "" : `, from the address ${toSingleLine(input.source_ip)},`} asked for a new password for your account
${input.to} at
${input.url}

To set one, open this link before ${formatTime(input.expires_at)}. It works once:

${input.link}

If that was not you, do nothing: your password stays as it is.
`
})

/** What was done to an account's way in: the letter's subject, and what follows on "of your account" in it. */
const noticeTexts = {
  password_reset: ["Your password for svc was changed", "The password", "was changed by a link", "Every session has ended."],
  password_changed: ["Your password for svc was changed", "The password", "was changed", "All other sessions have ended."],
  password_set: ["Your password for svc was changed", "The password", "was set by an administrator", "Your sessions have ended."],
  factor_enrolled: ["You have a second factor for svc", "A second factor", "was enrolled", "From now on signing in asks for a code of it."],
  factor_disabled: ["Your second factor for svc is off", "The second factor", "was disabled", "Signing in asks for the password only."],
  factor_reset: ["Your second factor for svc is off", "The second factor", "was taken away by an administrator", "Every session has ended, and signing in asks for the password only."],
  recovery_code_used: ["A recovery code for svc was used", "A recovery code", "was used", "It works no more."],
  recovery_codes_replaced: ["Your recovery codes for svc are new", "The recovery codes", "were replaced", "Those of before work no more."]
} as const

export type NoticeKind = keyof typeof noticeTexts

/** What a new password does not end. Who took an account over may have made a key. */
const apiKeyWarning = (count: number): string =>
  count === 0 ? "" : `
${count === 1 ? "1 API key of the account goes" : `${count} API keys of the account go`} on working. Sign in, look at them (GET /api/v1/api-keys), and
revoke what you do not know (DELETE /api/v1/api-keys/{key_id}).
`

/** Told afterwards, so that who did not do it learns of it. */
export const noticeMessage = (input: {
  readonly kind: NoticeKind
  readonly to: string
  readonly source_ip: string | null
  readonly workingKeys: number
  readonly url: string
  readonly at: Timestamp
}): MailMessage => {
  const [subject, thing, happened, meaning] = noticeTexts[input.kind]
  return {
    to: input.to,
    subject,
    text: `${thing} of your account ${input.to} at
${input.url}
${happened} at ${formatTime(input.at)}${input.source_ip === null ? "" : `, from the address ${toSingleLine(input.source_ip)}`}. ${meaning}
${apiKeyWarning(input.workingKeys)}
If that was not you, ask for a new password there, and tell whoever runs it.
`
  }
}

export const invitationMessage = (input: {
  readonly to: string
  /** Null: the program itself. */
  readonly inviter: string | null
  readonly project: string
  readonly role: string
  readonly url: string
  readonly link: string
  readonly expires_at: Timestamp
}): MailMessage => ({
  to: input.to,
  subject: `Invitation to the project ${toSingleLine(input.project)}`,
  text: `${input.inviter === null ? "You are invited" : `${toSingleLine(input.inviter)} invites you`} to the project
"${toSingleLine(input.project)}", as ${input.role}, at
${input.url}

To accept, open this link before ${formatTime(input.expires_at)}. It works once:

${input.link}

If you do not know what this is about, do nothing: nothing happens without you.
`
})
