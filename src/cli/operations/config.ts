import { Command } from "@effect/cli"
import { bindCommands, define, makeGroup } from "../program/Group.ts"
import { argument, flag, json } from "../program/Options.ts"

const host = argument("host", "Host name or address, without a port.")

export const definitions = {
  init: define("Write a starter file of tunables, svc.conf, into SVC_HOME.", {
    force: flag("force", "Overwrite an existing file.")
  }),
  show: define("Print the effective settings and the source of each.", {
    reveal: flag("reveal-secrets", "Print secrets in full."),
    json
  }),
  validate: define("Check the tunables file of SVC_HOME without starting anything.", {})
}

const { init, show, validate } = bindCommands(definitions, () => import("./handlers/config.ts"))

export { init }

export const config = makeGroup("config", "Show the settings, or check the tunables file.", { show, validate })

export const hostDefinitions = {
  list: define("List the accepted host names and the source of each.", { json }),
  add: define("Accept one more host name. A running brain applies it within 2 seconds.", { host }),
  remove: define("Remove a host name that was added.", { host }),
  path: define("Print the path of the file with the added host names.", {})
}

export const allowedHosts = makeGroup(
  "allowed-hosts",
  "The host names that the brain accepts. It refuses requests for any other.",
  bindCommands(hostDefinitions, () => import("./handlers/allowed-hosts.ts"))
)

export const tokenDefinitions = {
  "metrics-token": define("Print the bearer token of /metrics.", {}),
  rotate: define("Create a new token. Brains use it after their next start.", {})
}

const token = bindCommands(tokenDefinitions, () => import("./handlers/metrics-token.ts"))

export const metricsToken = token["metrics-token"].pipe(Command.withSubcommands([token.rotate]))
