import { Options } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, integer, json, optionalText, project, text, yes } from "../program/Options.ts"

const isDefault = flag("default", "A default of the project, which admins write, instead of your own subscription.")

const subscription = argument("subscription", "Id of the subscription.")

export const definitions = {
  list: define("List your subscriptions in the project, or its defaults.", { isDefault, project, json }),
  show: define("Show a subscription.", { subscription, isDefault, project, json }),
  create: define("Subscribe to a trigger; messages also go to the inbox.", {
    trigger: argument("trigger", "What it reacts to, such as task.failed."),
    isDefault,
    projectChannel: Options.repeated(
      text("project-channel", "Name or id of a channel of the project; give it once for each.")
    ),
    userChannel: Options.repeated(text("user-channel", "Id of a channel of yours; give it once for each.")),
    taskName: optionalText("task-name", "Only tasks whose name matches this glob."),
    queue: optionalText("queue", "Only tasks of this queue."),
    priority: optionalText("priority", "Only tasks of these priorities, such as critical,high."),
    each: flag("each", "One message for each occurrence, at once, instead of one for each condition."),
    sendOnly: optionalText("send-only", "Send only within these hours, such as 22:00-07:00."),
    sendExcept: optionalText("send-except", "Send except within these hours, such as 22:00-07:00."),
    timezone: optionalText("timezone", "Time zone of the hours, such as Europe/Berlin; UTC without it."),
    days: optionalText("days", "Days on which the hours begin, such as mon,tue; every day without it."),
    project,
    json
  }),
  mute: define("Mute a subscription: nothing is recorded or sent until the mute ends.", {
    subscription,
    minutes: integer("minutes", "For how long.", 60),
    isDefault,
    project
  }),
  unmute: define("End a mute.", { subscription, isDefault, project }),
  delete: define("Delete a subscription with its alerts.", { subscription, isDefault, project, yes })
}

export const subscriptions = makeGroup(
  "subscriptions",
  "What you and the project are notified of.",
  bindCommands(definitions, () => import("./handlers/subscriptions.ts"))
)
