import { GroupFilter, GroupSort } from "../../domain/tasks/Failure/Group.ts"
import { MuteCondition } from "../../domain/tasks/Failure/Triage.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import {
  argument,
  integer,
  json,
  optionalChoice,
  optionalInteger,
  optionalText,
  page,
  project
} from "../program/Options.ts"

const fingerprint = argument("fingerprint", "As `svc failures list` prints it, or the name of its tasks.")

export const definitions = {
  list: define("List failure groups, most recently failed first.", {
    status: optionalChoice(
      "status",
      GroupFilter.literals,
      "Only groups of this status; unless given, all that are neither muted nor resolved."
    ),
    assignee: optionalText("assignee", "Only groups of this member: me, none, a name or an id."),
    search: optionalText("search", "Only groups whose task name or error contains this."),
    sort: optionalChoice("sort", GroupSort.literals, "By what to sort; last_seen unless given."),
    engine: optionalText("engine", "Only groups of this engine, such as celery."),
    hours: optionalInteger("hours", "Only groups that failed in the last so many hours; FAILURES counts those."),
    ...page,
    project,
    json
  }),
  show: define("Show a failure group: when it failed, a sample, its workers and queues.", {
    fingerprint,
    hours: optionalInteger("hours", "How many hours back the bars reach: 168 unless given."),
    project,
    json
  }),
  assign: define("Assign a failure group to a member.", {
    fingerprint,
    member: argument("member", "A name or an id, me, or none."),
    project
  }),
  mute: define("Mute a failure group: no alerts about it, and it needs no attention.", {
    fingerprint,
    hours: integer("hours", "For how long.", 24),
    until: optionalChoice(
      "until",
      MuteCondition.literals,
      "Until it escalates, or until the next deploy, in place of a time."
    ),
    project
  }),
  resolve: define("Resolve a failure group: it regresses when it fails again.", { fingerprint, project }),
  reopen: define("Open a muted, resolved or regressed failure group.", { fingerprint, project }),
  note: define("Change the note of a failure group.", {
    fingerprint,
    text: argument("text", "The note; empty to remove it."),
    project
  })
}

const commands = bindCommands(definitions, () => import("./handlers/failures.ts"))

export const failures = makeGroup("failures", "Failures of a project, in groups of the same failure.", commands)

/** By the name of the path in the API. */
export const issues = makeGroup("issues", "The same as `svc failures`.", commands)
