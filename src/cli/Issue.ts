import { Console, Effect, Option, Schedule, Schema } from "effect"
import type { CommandPublic } from "../domain/Command.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import { exitCodeOf, isUnsent, OutcomeUnknown, Refused } from "./Explain.ts"
import { type Answer, type ApiError, isTransient, printAnswer, type Remote, withRemote, networkReasonOf } from "./Remote.ts"
import { formatState } from "./Table.ts"
import { jsonMemberOf, escapeText } from "./TerminalText.ts"

/** What every command that asks something of an agent takes. */
export interface IssueOptions {
  readonly project: Option.Option<string>
  readonly agent: Option.Option<string>
  readonly idempotencyKey: Option.Option<string>
  readonly wait: boolean
  readonly json: boolean
}

/** The member of a command's body that makes it one with an earlier one. */
export const idempotencyKeyOf = ({ idempotencyKey }: IssueOptions) => ({ idempotency_key: Option.getOrNull(idempotencyKey) })

/** What was given as a command's id; anything else names no command. */
const parseCommandId = (given: string): Effect.Effect<string, Refused> =>
  Schema.is(Schema.UUID)(given) ? Effect.succeed(given.toLowerCase()) : new Refused({ message: `no such command: ${escapeText(given)}` })

/** What a command about one that was issued takes. */
export interface CommandOptions {
  readonly commandId: string
  readonly project: Option.Option<string>
  readonly json: boolean
}

/** Asks the brain something about the command, and prints what it answers. */
export const callForCommand = (
  { commandId, json, project }: CommandOptions,
  ask: (
    api: Remote["api"],
    path: { readonly slug: string; readonly command_id: string }
  ) => Effect.Effect<Answer<CommandPublic>, ApiError>,
  text: (command: CommandPublic, text: string) => string
) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const command_id = yield* parseCommandId(commandId)
      yield* printAnswer(yield* ask(api, { slug, command_id }), json, text)
    }))

const endStatuses: ReadonlySet<string> = new Set(["completed", "failed", "timeout", "cancelled"])

const nameOf = ({ action, id, target_id }: CommandPublic): string =>
  escapeText(`${action}${target_id === null ? "" : ` of ${target_id}`} (${id})`)

/** The brain ends a command when its time is up; one that has not ended so much later will not. */
const graceMillis = 30_000

/** The command once it has ended: asked for often at first. A brain that is away for a moment is waited for. */
const awaitEnd = ({ api, slug }: Remote, command: CommandPublic) => {
  const getCommand = api.commands.get({ path: { slug, command_id: command.id }, withResponse: true }).pipe(
    Effect.retry({ while: isTransient, schedule: Schedule.spaced("1 second") })
  )
  const poll = (pauseMillis: number): typeof getCommand =>
    Effect.flatMap(getCommand, (answer) =>
      endStatuses.has(answer[0].status)
        ? Effect.succeed(answer)
        : Effect.delay(Effect.suspend(() => poll(Math.min(pauseMillis * 1.5, 1000))), pauseMillis))
  const unknown = (what: string) => new OutcomeUnknown({ message: `${what} ${nameOf(command)}: svc commands show ${command.id} tells how it ended` })
  const patience = Timestamp.toEpochMillis(command.timeout_at) - Timestamp.toEpochMillis(command.issued_at) + graceMillis
  return poll(50).pipe(
    Effect.timeoutFail({ duration: patience, onTimeout: () => unknown("the brain did not say in time what became of") }),
    Effect.onInterrupt(() => reportInterrupt(unknown("stopped waiting for")))
  )
}

/** An interrupted program ends with 0, which would say that the command completed. */
const reportInterrupt = (outcome: OutcomeUnknown) =>
  Effect.zipRight(
    Console.error(outcome.message),
    Effect.sync(() => {
      process.exitCode = exitCodeOf(outcome)
    })
  )

/** A command, its result and what to know of it, for people. */
export const formatCommand = (command: CommandPublic, text: string): string => {
  const result = jsonMemberOf(text, "result")
  const { note } = command
  return `${nameOf(command)}  ${formatState(command.status)}${result === null ? "" : `\nresult  ${escapeText(result)}`}` +
    (note === null ? "" : `\nnote    ${escapeText(note)}`)
}

/** Fails unless the command completed, or has not ended. */
const checkOutcome = (command: CommandPublic): Effect.Effect<void, Refused | OutcomeUnknown> => {
  const why = [command.error, command.note].filter((text) => text !== null).map((text) => `: ${escapeText(text)}`).join("")
  switch (command.status) {
    case "failed":
      return new Refused({ message: `${nameOf(command)} failed${why}` })
    case "cancelled":
      return new Refused({ message: `${nameOf(command)} was cancelled${why}` })
    case "timeout":
      return new OutcomeUnknown({ message: `${nameOf(command)} timed out${why}` })
    default:
      return Effect.void
  }
}

/** What a proxy answers when the brain gave it none, and the brain when it broke. */
const brokenStatuses: ReadonlySet<number> = new Set([500, 502, 504])

/** Why nobody said what came of a request that went out; null where it did not go out, or was answered. */
const unansweredReason = (error: ApiError | Refused): string | null => {
  if (error._tag === "RequestError") return error.reason !== "Transport" || isUnsent(error) ? null : networkReasonOf(error)
  if (error._tag === "ResponseError") return brokenStatuses.has(error.response.status) ? `status ${error.response.status}` : null
  return null
}

/** Only what issues a command is sent by POST; when that went out and was not answered, the command may be on its way. */
const toOutcomeUnknown = ({ access }: Remote) => (error: ApiError | Refused): ApiError | Refused | OutcomeUnknown => {
  const why = unansweredReason(error)
  return why !== null && "request" in error && error.request.method === "POST"
    ? new OutcomeUnknown({
      message: escapeText(`the command was sent to ${access.url}, which did not say whether it was issued (${why}): it may have been. `) +
        "Look with svc commands list before you send it again"
    })
    : error
}

/** Says on standard error what a command waits for; standard output has its end. */
const reportWaiting = ({ note, status }: CommandPublic) =>
  status === "pending" && note !== null ? Console.error(escapeText(note)) : Effect.void

/** Issues a command, follows it to its end with `--wait`, and prints it. */
export const issue = <R>(
  { json, project, wait }: IssueOptions,
  send: (remote: Remote) => Effect.Effect<Answer<CommandPublic>, ApiError | Refused, R>
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const firstAnswer = yield* Effect.mapError(send(remote), toOutcomeUnknown(remote))
      if (wait) yield* reportWaiting(firstAnswer[0])
      const answer: Answer<CommandPublic> = wait ? yield* awaitEnd(remote, firstAnswer[0]) : firstAnswer
      if (json || ["completed", "pending", "dispatched"].includes(answer[0].status)) yield* printAnswer(answer, json, formatCommand)
      yield* checkOutcome(answer[0])
    }))
