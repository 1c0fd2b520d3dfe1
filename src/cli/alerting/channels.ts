import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json, project, yes } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/channels.ts"))

const channel = Args.text({ name: "channel" }).pipe(Args.withDescription("Name or id of the channel."))

const list = Command.make("list", { project, json }, handler((module) => module.list)).pipe(
  Command.withDescription("List the project's channels.")
)

const show = Command.make("show", { channel, project, json }, handler((module) => module.show)).pipe(
  Command.withDescription("Show a channel, with its secrets masked.")
)

const create = Command.make("create", {
  name: Args.text({ name: "name" }).pipe(Args.withDescription("Its name.")),
  type: Options.choice("type", ["webhook", "email", "slack", "telegram", "pagerduty", "discord", "teams"]).pipe(
    Options.withDescription("How its messages are sent.")
  ),
  inactive: Options.boolean("inactive").pipe(Options.withDescription("Nothing is sent until it is enabled.")),
  project,
  json
}, handler((module) => module.create)).pipe(
  Command.withDescription("Create a channel. Standard input has its config as JSON (docs/notifications.md).")
)

const test = Command.make("test", { channel, project, json }, handler((module) => module.test)).pipe(
  Command.withDescription("Send a test message. Exit code 1: the receiver did not accept it.")
)

const enable = Command.make("enable", { channel, project, json }, handler((module) => module.enable)).pipe(
  Command.withDescription("Send messages through a channel, also after the brain disabled it.")
)

const disable = Command.make("disable", { channel, project, json }, handler((module) => module.disable)).pipe(
  Command.withDescription("Send no messages through a channel until it is enabled.")
)

const remove = Command.make("delete", { channel, project, yes }, handler((module) => module.remove)).pipe(
  Command.withDescription("Delete a channel. Defaults and subscriptions lose it.")
)

export const channels = Command.make("channels").pipe(
  Command.withDescription("Where a project's messages are sent."),
  Command.withSubcommands([list, show, create, test, enable, disable, remove])
)
