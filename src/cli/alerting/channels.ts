import { Options } from "@effect/cli"
import { channelTypes } from "../../domain/alerting/Channel.ts"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, json, project, yes } from "../program/Options.ts"

const channel = argument("channel", "Name or id of the channel.")

export const definitions = {
  list: define("List the project's channels.", { project, json }),
  show: define("Show a channel, with its secrets masked.", { channel, project, json }),
  create: define("Create a channel. Standard input has its config as JSON (docs/notifications.md).", {
    name: argument("name", "Its name."),
    type: Options.choice("type", channelTypes).pipe(
      Options.withDescription("How its messages are sent.")
    ),
    inactive: flag("inactive", "Nothing is sent until it is enabled."),
    project,
    json
  }),
  test: define("Send a test message. Exit code 1: the receiver did not accept it.", { channel, project, json }),
  enable: define("Send messages through a channel, also after the brain disabled it.", { channel, project, json }),
  disable: define("Send no messages through a channel until it is enabled.", { channel, project, json }),
  delete: define("Delete a channel. Defaults and subscriptions lose it.", { channel, project, yes })
}

export const channels = makeGroup(
  "channels",
  "Where a project's messages are sent.",
  bindCommands(definitions, () => import("./handlers/channels.ts"))
)
