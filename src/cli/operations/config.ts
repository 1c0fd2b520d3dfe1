import { Args, Command, Options } from "@effect/cli"
import { lazyHandlers } from "../program/Load.ts"
import { json } from "../program/Options.ts"

const handler = lazyHandlers(() => import("./handlers/config.ts"))

const force = Options.boolean("force").pipe(Options.withDescription("Overwrite an existing file."))

export const init = Command.make("init", { force }, handler((module) => module.init)).pipe(
  Command.withDescription("Write a starter file of tunables, svc.conf, into SVC_HOME.")
)

const reveal = Options.boolean("reveal-secrets").pipe(Options.withDescription("Print secrets in full."))

const showConfig = Command.make("show", { reveal, json }, handler((module) => module.showConfig)).pipe(
  Command.withDescription("Print the effective settings and the source of each.")
)

const validateConfig = Command.make("validate", {}, handler((module) => module.validateConfig)).pipe(
  Command.withDescription("Check the tunables file of SVC_HOME without starting anything.")
)

export const config = Command.make("config").pipe(
  Command.withDescription("Show the settings, or check the tunables file."),
  Command.withSubcommands([showConfig, validateConfig])
)

const host = Args.text({ name: "host" }).pipe(Args.withDescription("Host name or address, without a port."))

const listHosts = Command.make("list", { json }, handler((module) => module.listHosts)).pipe(
  Command.withDescription("List the accepted host names and the source of each.")
)
const addHost = Command.make("add", { host }, handler((module) => module.addHost)).pipe(
  Command.withDescription("Accept one more host name. A running brain applies it within 2 seconds.")
)
const removeHost = Command.make("remove", { host }, handler((module) => module.removeHost)).pipe(
  Command.withDescription("Remove a host name that was added.")
)
const printHostsFile = Command.make("path", {}, handler((module) => module.printHostsFile)).pipe(
  Command.withDescription("Print the path of the file with the added host names.")
)

export const allowedHosts = Command.make("allowed-hosts").pipe(
  Command.withDescription("The host names that the brain accepts. It refuses requests for any other."),
  Command.withSubcommands([listHosts, addHost, removeHost, printHostsFile])
)

const rotateMetricsToken = Command.make("rotate", {}, handler((module) => module.rotateToken)).pipe(
  Command.withDescription("Create a new token. Brains use it after their next start.")
)

export const metricsToken = Command.make("metrics-token", {}, handler((module) => module.printToken)).pipe(
  Command.withDescription("Print the bearer token of /metrics."),
  Command.withSubcommands([rotateMetricsToken])
)
