import { Args, Command, Options } from "@effect/cli"
import { GroupStatus } from "../../domain/tasks/Failure/Group.ts"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/failures.ts"))

const hours = (line: string) => Options.integer("hours").pipe(Options.withDescription(line), Options.optional)

const list = Command.make(
  "list",
  {
    status: Options.choice("status", GroupStatus.literals).pipe(
      Options.withDescription("Only groups with open tasks (ongoing), or without (recovered)."),
      Options.optional
    ),
    engine: Options.text("engine").pipe(
      Options.withDescription("Only groups of this engine, such as celery."),
      Options.optional
    ),
    hours: hours("Only groups that failed in the last so many hours."),
    ...page,
    project,
    json
  },
  handler((module) => module.list)
).pipe(Command.withDescription("List failure groups, most recently failed first."))

const show = Command.make(
  "show",
  {
    fingerprint: Args.text({ name: "fingerprint" }).pipe(Args.withDescription("As `svc failures list` prints it.")),
    hours: hours("How many hours back the failures per hour reach: 168 unless given."),
    project,
    json
  },
  handler((module) => module.show)
).pipe(Command.withDescription("Show a failure group: failures per hour, a sample, its workers and queues."))

export const failures = Command.make("failures").pipe(
  Command.withDescription("Failures of a project, in groups of the same failure."),
  Command.withSubcommands([list, show])
)

/** By the name of the path in the API. */
export const issues = Command.make("issues").pipe(
  Command.withDescription("The same as `svc failures`."),
  Command.withSubcommands([list, show])
)
