import type { Timestamp } from "../../domain/Timestamp.ts"
import type { Message } from "./Transport.ts"

/** What the letters say. Names that people chose are one short line in them, whatever they hold. */
const line = (text: string): string => {
  const single = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ").trim()
  return single.length > 100 ? `${single.slice(0, 100)}…` : single
}

const shownTime = (at: Timestamp): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

export const passwordResetLetter = (input: {
  readonly to: string
  readonly source_ip: string | null
  readonly url: string
  readonly link: string
  readonly expires_at: Timestamp
}): Message => ({
  to: input.to,
  subject: "A new password for svc",
  text: `Somebody${input.source_ip === null ? "" : `, from the address ${line(input.source_ip)},`} asked for a new password for your account
${input.to} at
${input.url}

To set one, open this link before ${shownTime(input.expires_at)}. It works once:

${input.link}

If that was not you, do nothing: your password stays as it is.
`
})

/** Told afterwards, so that who did not do it learns of it. */
export const passwordChangedLetter = (input: {
  readonly to: string
  readonly source_ip: string | null
  readonly url: string
  readonly at: Timestamp
}): Message => ({
  to: input.to,
  subject: "Your password for svc was changed",
  text: `The password of your account ${input.to} at
${input.url}
was changed by a link at ${shownTime(input.at)}${input.source_ip === null ? "" : `, from the address ${line(input.source_ip)}`}. Every session has ended.

If that was not you, ask for a new password there, and tell whoever runs it.
`
})

export const invitationLetter = (input: {
  readonly to: string
  /** Null: the program itself. */
  readonly inviter: string | null
  readonly project: string
  readonly role: string
  readonly url: string
  readonly link: string
  readonly expires_at: Timestamp
}): Message => ({
  to: input.to,
  subject: `Invitation to the project ${line(input.project)}`,
  text: `${input.inviter === null ? "You are invited" : `${line(input.inviter)} invites you`} to the project
"${line(input.project)}", as ${input.role}, at
${input.url}

To accept, open this link before ${shownTime(input.expires_at)}. It works once:

${input.link}

If you do not know what this is about, do nothing: nothing happens without you.
`
})
