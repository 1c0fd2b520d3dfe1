import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, integer, json, optionalChoice, page, project } from "../program/Options.ts"

const alert = argument("alert", "Id of the alert.")

export const definitions = {
  list: define("List the project's alerts and your own, newest first.", {
    status: optionalChoice("status", ["open", "recovered", "stale", "closed"], "Only alerts with this status."),
    ...page,
    project,
    json
  }),
  show: define("Show an alert: how often, since when, and what its occurrences share.", { alert, project, json }),
  ack: define("Acknowledge an alert: no further message comes but its recovery.", {
    alert,
    undo: flag("undo", "Take the acknowledgement back."),
    project
  }),
  snooze: define("Snooze an alert: no message about it until the snooze ends.", {
    alert,
    minutes: integer("minutes", "For how long; 0 ends a snooze.", 60),
    project
  })
}

export const alerts = makeGroup(
  "alerts",
  "What is wrong, as subscriptions see it.",
  bindCommands(definitions, () => import("./handlers/alerts.ts"))
)
