import { Args, Command } from "@effect/cli"
import { lazyHandler } from "../Load.ts"
import { json } from "../Options.ts"

const host = Args.text({ name: "host" }).pipe(Args.withDescription("Host name or address, without a port."))

const list = Command.make("list", { json }, lazyHandler(() => import("../programs/allowed-hosts-list.ts"))).pipe(
  Command.withDescription("Print the names that the brain answers to, and where each comes from.")
)
const add = Command.make("add", { host }, lazyHandler(() => import("../programs/allowed-hosts-add.ts"))).pipe(
  Command.withDescription("Let the brain answer to one more name; a running one does so within two seconds.")
)
const remove = Command.make("remove", { host }, lazyHandler(() => import("../programs/allowed-hosts-remove.ts"))).pipe(
  Command.withDescription("Take a name that was added away again.")
)
const path = Command.make("path", {}, lazyHandler(() => import("../programs/allowed-hosts-path.ts"))).pipe(
  Command.withDescription("Print where the list is kept.")
)

export const allowedHosts = Command.make("allowed-hosts").pipe(
  Command.withDescription("The host names that the brain answers to; it refuses requests for any other."),
  Command.withSubcommands([list, add, remove, path])
)
