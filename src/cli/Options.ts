import { Options } from "@effect/cli"

/** For commands that answer something a program may want to read. */
export const json = Options.boolean("json").pipe(Options.withDescription("Print one JSON object."))

/** Passwords never stand on the command line, where others see them. */
export const passwordStdin = Options.boolean("password-stdin").pipe(
  Options.withDescription("Read the password from standard input.")
)

export const codeStdin = Options.boolean("code-stdin").pipe(
  Options.withDescription("Read a code of the second factor from standard input, on the line after the password.")
)

export const expiresInDays = Options.integer("expires-in-days").pipe(
  Options.withDescription("How many days the created API key is valid."),
  Options.withDefault(90)
)

/** Which project of the brain; its slug. */
export const project = Options.text("project").pipe(
  Options.withDescription("Slug of the project (SVC_PROJECT, else default)."),
  Options.optional
)

export const engine = Options.text("engine").pipe(
  Options.withDescription("Engine, such as celery; needed only where several could be meant."),
  Options.optional
)

/** The one flag that confirms what cannot be undone. */
export const yes = Options.boolean("yes").pipe(Options.withDescription("Do not ask."))

/** A page of a list. */
export const page = {
  limit: Options.integer("limit").pipe(Options.withDescription("Most rows."), Options.withDefault(50)),
  cursor: Options.text("cursor").pipe(Options.withDescription("Where the page before ended: its next_cursor."), Options.optional)
}

/** For every command that asks something of an agent. */
export const issue = {
  project,
  agent: Options.text("agent").pipe(
    Options.withDescription("Name or id of the agent; needed only where several could do it."),
    Options.optional
  ),
  idempotencyKey: Options.text("idempotency-key").pipe(
    Options.withDescription("The same key again is the same command, not another one."),
    Options.optional
  ),
  wait: Options.boolean("wait").pipe(
    Options.withDescription("Wait for its end. Exit code 0: completed, 1: failed or cancelled, 3: not known.")
  ),
  json
}
