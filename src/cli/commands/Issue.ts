import { Console, Effect, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { CommandPublic } from "../../domain/commands/Command.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { formatState } from "../io/Table.ts"
import { escapeText, jsonMemberOf } from "../io/TerminalText.ts"
import { CliError, isUnsent, OutcomeUnknown } from "../program/Explain.ts"
import type { OptionsOf } from "../program/Group.ts"
import type { issue as issueOptions } from "../program/Options.ts"
import { awaitOutcome } from "../remote/Outcome.ts"
import {
  type ApiError,
  type DecodedResponse,
  networkReasonOf,
  printResponse,
  type Remote,
  withRemote
} from "../remote/Remote.ts"

/** The options of every command to an agent. */
export type IssueOptions = OptionsOf<typeof issueOptions>

/** The member of a command's body that makes a repetition safe, also one by a proxy in between. */
export const idempotencyKeyOf = ({ idempotencyKey }: Pick<IssueOptions, "idempotencyKey">) => ({
  idempotency_key: Option.getOrElse(idempotencyKey, () => randomUUID())
})

const endStatuses: ReadonlySet<string> = new Set(["completed", "failed", "timeout", "cancelled"])

/** Tasks of a bulk retry. */
interface TasksPayload {
  readonly filter?: { readonly task_ids?: ReadonlyArray<string> }
}

/** What a command is about, by its name where that is known; null: all workers. */
export const targetOf = ({ payload, target_id, target_name }: CommandPublic): string | null => {
  const count = (payload as TasksPayload).filter?.task_ids?.length // the cast: the brain wrote the payload
  return target_name ?? target_id ?? (count === undefined ? null : `${count} tasks`)
}

const nameOf = (command: CommandPublic): string => {
  const target = targetOf(command)
  return escapeText(`${command.action}${target === null ? "" : ` of ${target}`} (${command.id})`)
}

/** The brain ends a command at its timeout. After this grace no end is to be expected. */
const graceMillis = 30_000

const awaitEnd = ({ api, slug }: Remote, command: CommandPublic) => {
  const { id, issued_at, timeout_at } = command
  return awaitOutcome(api.commands.get({ path: { slug, command_id: id }, withResponse: true }), {
    isLast: ({ status }) => endStatuses.has(status),
    longestMillis: Timestamp.toEpochMillis(timeout_at) - Timestamp.toEpochMillis(issued_at) + graceMillis,
    subject: `${nameOf(command)}: svc commands show ${id} shows its outcome`
  })
}

/** A command with its result and note, for people. */
export const formatCommand = (command: CommandPublic, text: string): string => {
  const result = jsonMemberOf(text, "result")
  const { note } = command
  return `${nameOf(command)}  ${formatState(command.status)}${
    result === null ? "" : `\nresult  ${escapeText(result)}`
  }` +
    (note === null ? "" : `\nnote    ${escapeText(note)}`)
}

/** Fails unless the command completed, or has not ended. */
const checkOutcome = (command: CommandPublic): Effect.Effect<void, CliError | OutcomeUnknown> => {
  const why = [command.error, command.note].filter((text) => text !== null).map((text) => `: ${escapeText(text)}`).join(
    ""
  )
  switch (command.status) {
    case "failed":
      return new CliError({ message: `${nameOf(command)} failed${why}` })
    case "cancelled":
      return new CliError({ message: `${nameOf(command)} was cancelled${why}` })
    case "timeout":
      return new OutcomeUnknown({ message: `${nameOf(command)} timed out${why}` })
    default:
      return Effect.void
  }
}

/** Statuses of a proxy that got no response from the brain, and of a defect in the brain. */
const brokenStatuses: ReadonlySet<number> = new Set([500, 502, 504])

/** Why a sent request has no response; null where it was not sent, or has a response. */
const missingResponseReason = (error: ApiError | CliError): string | null => {
  if (error._tag === "RequestError") {
    return error.reason !== "Transport" || isUnsent(error)
      ? null
      : networkReasonOf(error)
  }
  if (error._tag === "ResponseError") {
    return brokenStatuses.has(error.response.status)
      ? `status ${error.response.status}`
      : null
  }
  return null
}

/** Only requests that issue a command are POSTs. One that was sent and has no response may have issued the command. */
const toOutcomeUnknown = ({ access }: Remote) => (error: ApiError | CliError): ApiError | CliError | OutcomeUnknown => {
  const why = missingResponseReason(error)
  return why !== null && "request" in error && error.request.method === "POST"
    ? new OutcomeUnknown({
      message: escapeText(
        `the command was sent to ${access.url}, which did not confirm it (${why}), so it may have been issued. `
      ) +
        "Check svc commands list before you send it again"
    })
    : error
}

/** Prints on standard error what a pending command waits for. Standard output gets the outcome. */
const reportWaiting = ({ note, status }: CommandPublic) =>
  status === "pending" && note !== null ? Console.error(escapeText(note)) : Effect.void

/** Issues a command, waits for its end with `--wait`, and prints it. */
export const issue = <R>(
  { json, project, wait }: IssueOptions,
  send: (remote: Remote) => Effect.Effect<DecodedResponse<CommandPublic>, ApiError | CliError, R>
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const firstResponse = yield* Effect.mapError(send(remote), toOutcomeUnknown(remote))
      if (wait) yield* reportWaiting(firstResponse[0])
      const response: DecodedResponse<CommandPublic> = wait ? yield* awaitEnd(remote, firstResponse[0]) : firstResponse
      if (json || ["completed", "pending", "dispatched"].includes(response[0].status)) {
        yield* printResponse(response, json, formatCommand)
      }
      yield* checkOutcome(response[0])
    }))
