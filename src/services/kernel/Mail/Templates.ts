import { formatMinute, type Timestamp } from "../../../domain/kernel/Timestamp.ts"
import type { MailMessage } from "./Transport.ts"

/** A name that a user chose, as one line of at most 100 characters, so it cannot imitate the mail's own text. */
const toSingleLine = (text: string): string => {
  const single = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return single.length > 100 ? `${single.slice(0, 100).toWellFormed()}…` : single
}

export const passwordResetMessage = (input: {
  readonly to: string
  readonly source_ip: string | null
  readonly url: string
  readonly link: string
  readonly expires_at: Timestamp
}): MailMessage => ({
  to: input.to,
  subject: "A new password for svc",
  text: `A new password was requested${
    input.source_ip === null ? "" : ` from the address ${toSingleLine(input.source_ip)}`
  } for your account
${input.to} at
${input.url}

To set one, open this link before ${formatMinute(input.expires_at)}. It works once:

${input.link}

If you did not request it, do nothing: your password stays the same.
`
})

/** Per change of an account's credentials: the subject, and the parts of the first sentences. */
const noticeTexts = {
  password_reset: [
    "Your password for svc was changed",
    "The password",
    "was changed by a link",
    "Every session has ended."
  ],
  password_changed: [
    "Your password for svc was changed",
    "The password",
    "was changed",
    "All other sessions have ended."
  ],
  password_set: [
    "Your password for svc was changed",
    "The password",
    "was set by an administrator",
    "Your sessions have ended."
  ],
  factor_enrolled: [
    "You have a second factor for svc",
    "A second factor",
    "was enrolled",
    "Signing in now requires a code of it."
  ],
  factor_disabled: [
    "Your second factor for svc is off",
    "The second factor",
    "was disabled",
    "Signing in now requires the password only."
  ],
  factor_reset: [
    "Your second factor for svc is off",
    "The second factor",
    "was reset by an administrator",
    "Every session has ended. Signing in now requires the password only."
  ],
  email_changed: [
    "Your address for svc has changed",
    "The e-mail address",
    "was changed",
    "It follows the address that your organisation's sign-in provider has. Mail about the account goes to the new one."
  ],
  recovery_code_used: ["A recovery code for svc was used", "A recovery code", "was used", "It cannot be used again."],
  recovery_codes_replaced: [
    "Your recovery codes for svc are new",
    "The recovery codes",
    "were replaced",
    "The earlier codes no longer work."
  ]
} as const

export type NoticeKind = keyof typeof noticeTexts

/** A new password does not revoke API keys. An intruder may have created one. */
const apiKeyWarning = (count: number, keysUrl: string | null): string =>
  count === 0 ? "" : `
${
    count === 1
      ? "1 API key of the account still works"
      : `${count} API keys of the account still work`
  }. ${
    keysUrl === null
      ? `Sign in, check them (GET /api/v1/api-keys), and
revoke those that you do not know (DELETE /api/v1/api-keys/{key_id}).`
      : `Sign in, check them at
${keysUrl}
and revoke those that you do not know.`
  }
`

/** Sent after the change, so that the user detects one by another person. */
export const noticeMessage = (input: {
  readonly kind: NoticeKind
  readonly to: string
  readonly source_ip: string | null
  readonly workingKeys: number
  readonly url: string
  /** The dashboard's page of API keys; null: there is no dashboard. */
  readonly keysUrl: string | null
  readonly at: Timestamp
}): MailMessage => {
  const [subject, thing, happened, meaning] = noticeTexts[input.kind]
  return {
    to: input.to,
    subject,
    text: `${thing} of your account ${input.to} at
${input.url}
${happened} at ${formatMinute(input.at)}${
      input.source_ip === null ? "" : `, from the address ${toSingleLine(input.source_ip)}`
    }. ${meaning}
${apiKeyWarning(input.workingKeys, input.keysUrl)}
If you did not do this, request a new password there and inform the administrator.
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

To accept, open this link before ${formatMinute(input.expires_at)}. It works once:

${input.link}

If you did not expect this invitation, do nothing: it has no effect unless you accept it.
`
})
