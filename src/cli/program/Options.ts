import { Args, Options } from "@effect/cli"
import { TaskPriority, TaskState } from "../../domain/kernel/TaskState.ts"

/** An argument; `line` describes it, as in the functions below. */
export const argument = (name: string, line: string) => Args.text({ name }).pipe(Args.withDescription(line))

export const flag = (name: string, line: string) => Options.boolean(name).pipe(Options.withDescription(line))

export const text = (name: string, line: string) => Options.text(name).pipe(Options.withDescription(line))

export const optionalText = (name: string, line: string) => Options.optional(text(name, line))

export const optionalChoice = <const A extends string>(name: string, choices: ReadonlyArray<A>, line: string) =>
  Options.choice(name, choices).pipe(Options.withDescription(line), Options.optional)

export const integer = (name: string, line: string, otherwise: number) =>
  Options.integer(name).pipe(Options.withDescription(line), Options.withDefault(otherwise))

export const optionalInteger = (name: string, line: string) =>
  Options.integer(name).pipe(Options.withDescription(line), Options.optional)

/** For commands whose output a script may read. */
export const json = flag("json", "Print one JSON object.")

/** A password on the command line would be in the process list. */
export const passwordStdin = flag("password-stdin", "Read the password from standard input.")

export const codeStdin = flag(
  "code-stdin",
  "Read a code of the second factor from standard input, on the line after the password."
)

export const expiresInDays = integer("expires-in-days", "Days until the created API key expires.", 90)

export const project = optionalText("project", "Slug of the project (SVC_PROJECT, else default).")

export const engine = optionalText("engine", "Engine, such as celery; required only if several match.")

/** Confirms what cannot be undone. */
export const yes = flag("yes", "Confirm without being asked.")

/** A page of a list. */
export const page = {
  limit: integer("limit", "The most rows: 50 unless given.", 50),
  cursor: optionalText("cursor", "The next_cursor of the previous page.")
}

/** For every command to an agent. */
export const issue = {
  project,
  agent: optionalText("agent", "Name or id of the agent; required only if several match."),
  idempotencyKey: optionalText("idempotency-key", "A repeated key returns the first command and issues no other."),
  wait: flag("wait", "Wait for the outcome. Exit code 0: completed, 1: failed or cancelled, 3: unknown."),
  json
}

/** Which tasks; all must match. */
export const taskFilters = {
  state: optionalChoice("state", TaskState.literals, "Only tasks in this state."),
  priority: optionalChoice("priority", TaskPriority.literals, "Only tasks of this priority."),
  name: optionalText("name", "Only tasks whose name contains this; case-sensitive."),
  search: optionalText(
    "search",
    "Only tasks whose name, queue, worker, task id or error contains this; ignores case."
  ),
  engine: optionalText("engine", "Only tasks of this engine, such as celery."),
  queue: optionalText("queue", "Only tasks of this queue."),
  worker: optionalText("worker", "Only tasks of this worker."),
  fingerprint: optionalText("fingerprint", "Only tasks of this failure group (svc failures list)."),
  since: optionalText("since", "Received at this time or later: 1h, today, or 2026-11-21T08:00:00Z."),
  until: optionalText("until", "Received at this time or earlier."),
  query: optionalText("query", "Only tasks of this query, such as 'state:failure,retry -queue:slow runtime:>5s'.")
}
