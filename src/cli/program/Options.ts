import { Options } from "@effect/cli"
import { TaskPriority, TaskState } from "../../domain/kernel/TaskState.ts"

/** For commands whose output a script may read. */
export const json = Options.boolean("json").pipe(Options.withDescription("Print one JSON object."))

/** A password on the command line would be in the process list. */
export const passwordStdin = Options.boolean("password-stdin").pipe(
  Options.withDescription("Read the password from standard input.")
)

export const codeStdin = Options.boolean("code-stdin").pipe(
  Options.withDescription("Read a code of the second factor from standard input, on the line after the password.")
)

export const expiresInDays = Options.integer("expires-in-days").pipe(
  Options.withDescription("Days until the created API key expires."),
  Options.withDefault(90)
)

export const project = Options.text("project").pipe(
  Options.withDescription("Slug of the project (SVC_PROJECT, else default)."),
  Options.optional
)

export const engine = Options.text("engine").pipe(
  Options.withDescription("Engine, such as celery; required only if several match."),
  Options.optional
)

/** Confirms what cannot be undone. */
export const yes = Options.boolean("yes").pipe(Options.withDescription("Confirm without being asked."))

/** A page of a list. */
export const page = {
  limit: Options.integer("limit").pipe(Options.withDescription("The most rows."), Options.withDefault(50)),
  cursor: Options.text("cursor").pipe(
    Options.withDescription("The next_cursor of the previous page."),
    Options.optional
  )
}

/** For every command to an agent. */
export const issue = {
  project,
  agent: Options.text("agent").pipe(
    Options.withDescription("Name or id of the agent; required only if several match."),
    Options.optional
  ),
  idempotencyKey: Options.text("idempotency-key").pipe(
    Options.withDescription("A repeated key returns the first command and issues no other."),
    Options.optional
  ),
  wait: Options.boolean("wait").pipe(
    Options.withDescription("Wait for the outcome. Exit code 0: completed, 1: failed or cancelled, 3: unknown.")
  ),
  json
}

const taskFilter = (name: string, line: string) =>
  Options.text(name).pipe(Options.withDescription(line), Options.optional)

/** Which tasks; all must match. */
export const taskFilters = {
  state: Options.choice("state", TaskState.literals).pipe(
    Options.withDescription("Only tasks in this state."),
    Options.optional
  ),
  priority: Options.choice("priority", TaskPriority.literals).pipe(
    Options.withDescription("Only tasks of this priority."),
    Options.optional
  ),
  name: taskFilter("name", "Only tasks whose name contains this; case-sensitive."),
  search: taskFilter("search", "Only tasks whose name, queue, worker, task id or error contains this; ignores case."),
  engine: taskFilter("engine", "Only tasks of this engine, such as celery."),
  queue: taskFilter("queue", "Only tasks of this queue."),
  worker: taskFilter("worker", "Only tasks of this worker."),
  fingerprint: taskFilter("fingerprint", "Only tasks of this failure group (svc failures list)."),
  since: taskFilter("since", "Received at this time or later: 1h, today, or 2026-11-21T08:00:00Z."),
  until: taskFilter("until", "Received at this time or earlier."),
  query: taskFilter("query", "Only tasks of this query, such as 'state:failure,retry -queue:slow runtime:>5s'.")
}
