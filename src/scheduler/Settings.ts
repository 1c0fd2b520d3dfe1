import { Context, Either } from "effect"
import { agentSettings } from "../services/kernel/Settings/Agents.ts"
import { list, listOf, type Setting, text } from "../services/kernel/Settings/Kinds.ts"
import { serverSettings } from "../services/kernel/Settings/Server.ts"

const onlyEnvironment = { tunable: false }

const isHostAndPort = (address: string): boolean => {
  const port = Number(/^(?:[^\s:/@]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(address)?.[1] ?? 0)
  return port >= 1 && port <= 65_535
}

/** Addresses in the order in which they are tried; one at least. */
const brains = (name: string, line: string): Setting<ReadonlyArray<string>> => {
  const addresses = listOf(name, "a host and a port such as svc.example.com:7701", isHostAndPort, line)
  return {
    ...addresses,
    tunable: false,
    default: ["127.0.0.1:7701"],
    parse: (text) =>
      Either.filterOrLeft(addresses.parse(text), ({ length }) => length > 0, () => "must have one address at least")
  }
}

/**
 * The settings of the program `svc-scheduler`, from its environment alone. `docs/settings.md` lists them. The two last
 * ones are those of the brain, with the same meaning.
 */
export const schedulerProgramDeclared = {
  brain: brains(
    "SVC_SCHEDULER_BRAIN",
    "Host and port at which the brain serves scheduler programs; several brains of one database are tried in turn."
  ),
  tlsCert: text(
    "SVC_SCHEDULER_TLS_CERT",
    { default: "" },
    "File with the PEM certificate of this scheduler; svc mint-scheduler-cert writes one.",
    onlyEnvironment
  ),
  tlsKey: text("SVC_SCHEDULER_TLS_KEY", { default: "" }, "File with its PEM private key.", onlyEnvironment),
  tlsCa: text(
    "SVC_SCHEDULER_TLS_CA",
    { default: "" },
    "File with the PEM certificate of the authority that signed the brain's certificate.",
    onlyEnvironment
  ),
  tlsServerName: text(
    "SVC_SCHEDULER_TLS_SERVER_NAME",
    { default: "" },
    "Name in the brain's certificate, where it is not the host of SVC_SCHEDULER_BRAIN.",
    onlyEnvironment
  ),
  projects: list("SVC_SCHEDULER_PROJECTS", "Slugs of the projects to fire; empty: all that the brain lists."),
  home: text(
    "SVC_SCHEDULER_HOME",
    { default: "" },
    "Folder of the program's state; one process uses it. Empty: the folder scheduler in SVC_HOME.",
    onlyEnvironment
  ),
  name: text(
    "SVC_SCHEDULER_NAME",
    { default: "" },
    "Name of this instance in logs and in status; empty: the name of the machine.",
    onlyEnvironment
  ),
  catchUpMax: agentSettings.scheduleCatchUpMax,
  logLevel: serverSettings.logLevel
} as const

type Declared = typeof schedulerProgramDeclared

export type SchedulerSettingsShape = {
  readonly [Key in keyof Declared]: Declared[Key] extends Setting<infer A> ? A : never
}

/** The program's settings, read and validated; `home` and `name` are never empty. */
export class SchedulerSettings
  extends Context.Tag("svc/scheduler/Settings")<SchedulerSettings, SchedulerSettingsShape>()
{}
