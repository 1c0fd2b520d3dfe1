import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, page, project } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/approvals.ts"))

const approval = Args.text({ name: "approval" }).pipe(Args.withDescription("Id of the approval."))

const list = Command.make("list", {
  status: Options.choice("status", ["pending", "approved", "rejected", "expired", "failed"]).pipe(
    Options.withDescription("Only approvals with this status."),
    Options.optional
  ),
  ...page,
  project,
  json
}, handler((module) => module.list)).pipe(
  Command.withDescription("List what waits for a second person, and what did, newest first.")
)

const show = Command.make("show", { approval, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show what waits, with its request, and what became of it.")
)

const approve = Command.make("approve", { approval, project }, handler((module) => module.approve)).pipe(
  Command.withDescription("Approve what another person asked for; it is done at once, in your name.")
)

const reject = Command.make("reject", {
  approval,
  reason: Options.text("reason").pipe(
    Options.withDescription("Why; the person who asked reads it."),
    Options.optional
  ),
  project
}, handler((module) => module.reject)).pipe(Command.withDescription("Reject what another person asked for."))

export const approvals = Command.make("approvals").pipe(
  Command.withDescription("What waits for a second person."),
  Command.withSubcommands([list, show, approve, reject])
)
