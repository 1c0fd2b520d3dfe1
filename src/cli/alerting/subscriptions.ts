import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/subscriptions.ts"))

const isDefault = Options.boolean("default").pipe(
  Options.withDescription("A default of the project, which admins write, instead of your own subscription.")
)

const subscription = Args.text({ name: "subscription" }).pipe(Args.withDescription("Id of the subscription."))

const list = Command.make("list", { isDefault, project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List your subscriptions in the project, or its defaults.")
)

const show = Command.make("show", { subscription, isDefault, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a subscription.")
)

const create = Command.make("create", {
  trigger: Args.text({ name: "trigger" }).pipe(Args.withDescription("What it reacts to, such as task.failed.")),
  isDefault,
  projectChannel: Options.text("project-channel").pipe(
    Options.withDescription("Id of a channel of the project; give it once for each."),
    Options.repeated
  ),
  userChannel: Options.text("user-channel").pipe(
    Options.withDescription("Id of a channel of yours; give it once for each."),
    Options.repeated
  ),
  taskName: Options.text("task-name").pipe(
    Options.withDescription("Only tasks whose name matches this glob."),
    Options.optional
  ),
  queue: Options.text("queue").pipe(Options.withDescription("Only tasks of this queue."), Options.optional),
  each: Options.boolean("each").pipe(
    Options.withDescription("One message for each occurrence, at once, instead of one for each condition.")
  ),
  project,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Subscribe to a trigger; messages also go to the inbox.")
)

const mute = Command.make("mute", {
  subscription,
  minutes: Options.integer("minutes").pipe(Options.withDescription("For how long."), Options.withDefault(60)),
  isDefault,
  project
}, handler((module) => module.mute)).pipe(
  Command.withDescription("Mute a subscription: nothing is recorded or sent until the mute ends.")
)

const unmute = Command.make("unmute", { subscription, isDefault, project }, handler((module) => module.unmute)).pipe(
  Command.withDescription("End a mute.")
)

const remove = Command.make(
  "delete",
  { subscription, isDefault, project, yes },
  handler((module) => module.remove)
).pipe(Command.withDescription("Delete a subscription with its alerts."))

export const subscriptions = Command.make("subscriptions").pipe(
  Command.withDescription("What you and the project are notified of."),
  Command.withSubcommands([list, show, create, mute, unmute, remove])
)
