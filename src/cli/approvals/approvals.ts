import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, json, optionalChoice, optionalText, page, project } from "../program/Options.ts"

const approval = argument("approval", "Id of the approval.")

export const definitions = {
  list: define("List what waits for a second person, and what did, newest first.", {
    status: optionalChoice(
      "status",
      ["pending", "approved", "rejected", "expired", "failed"],
      "Only approvals with this status."
    ),
    ...page,
    project,
    json
  }),
  show: define("Show what waits, with its request, and what became of it.", { approval, project, json }),
  approve: define("Approve what another person asked for; it is done at once, in your name.", { approval, project }),
  reject: define("Reject what another person asked for.", {
    approval,
    reason: optionalText("reason", "Why; the person who asked reads it."),
    project
  })
}

export const approvals = makeGroup(
  "approvals",
  "What waits for a second person.",
  bindCommands(definitions, () => import("./handlers/approvals.ts"))
)
