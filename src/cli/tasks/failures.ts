import { GroupStatus } from "../../domain/tasks/Failure/Group.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, json, optionalChoice, optionalInteger, optionalText, page, project } from "../program/Options.ts"

export const definitions = {
  list: define("List failure groups, most recently failed first.", {
    status: optionalChoice(
      "status",
      GroupStatus.literals,
      "Only groups with open tasks (ongoing), or without (recovered)."
    ),
    engine: optionalText("engine", "Only groups of this engine, such as celery."),
    hours: optionalInteger("hours", "Only groups that failed in the last so many hours; FAILURES counts those."),
    ...page,
    project,
    json
  }),
  show: define("Show a failure group: when it failed, a sample, its workers and queues.", {
    fingerprint: argument("fingerprint", "As `svc failures list` prints it."),
    hours: optionalInteger("hours", "How many hours back the bars reach: 168 unless given."),
    project,
    json
  })
}

const commands = bindCommands(definitions, () => import("./handlers/failures.ts"))

export const failures = makeGroup("failures", "Failures of a project, in groups of the same failure.", commands)

/** By the name of the path in the API. */
export const issues = makeGroup("issues", "The same as `svc failures`.", commands)
