import { CliConfig, Command, CommandDescriptor } from "@effect/cli"
import { Effect, HashMap, HashSet } from "effect"
import { version as current } from "../domain/Version.ts"
import { agent } from "./commands/agent.ts"
import { allowedHosts } from "./commands/allowed-hosts.ts"
import { agents } from "./commands/agents.ts"
import { auth } from "./commands/auth.ts"
import { audit } from "./commands/audit.ts"
import { bootstrapAdmin, createSuperuser } from "./commands/bootstrap-admin.ts"
import { changePassword } from "./commands/changepassword.ts"
import { check } from "./commands/check.ts"
import { commands } from "./commands/commands.ts"
import { config } from "./commands/config.ts"
import { doctor } from "./commands/doctor.ts"
import { init } from "./commands/init.ts"
import { login } from "./commands/login.ts"
import { logout } from "./commands/logout.ts"
import { metricsToken } from "./commands/metrics-token.ts"
import { migrate } from "./commands/migrate.ts"
import { resetMfa } from "./commands/reset-mfa.ts"
import { resetSetup } from "./commands/reset-setup.ts"
import { secretKey } from "./commands/secret-key.ts"
import { serve } from "./commands/serve.ts"
import { status } from "./commands/status.ts"
import { tasks } from "./commands/tasks.ts"
import { version } from "./commands/version.ts"
import { repaired } from "./Completions.ts"
import { Refused } from "./Explain.ts"

const all = [
  serve,
  check,
  doctor,
  status,
  version,
  init,
  config,
  bootstrapAdmin,
  createSuperuser,
  changePassword,
  auth,
  resetMfa,
  resetSetup,
  allowedHosts,
  metricsToken,
  secretKey,
  migrate,
  audit,
  agent,
  login,
  logout,
  agents,
  tasks,
  commands
] as const

const run = Command.make("svc").pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands(all),
  Command.run({ name: "svc", version: current })
)

const noCommand = (path: string, word: string, names: ReadonlyArray<string>) =>
  new Refused({ message: `${path} has no command ${word}; it has ${names.toSorted().join(", ")}`, usage: true })

type Described = (typeof all)[number]["descriptor"]
const nameOf = (command: Described): string => HashSet.toValues(CommandDescriptor.getNames<unknown>(command))[0] ?? ""
const namesBelow = (command: Described): ReadonlyArray<string> => [...HashMap.keys(CommandDescriptor.getSubcommands<unknown>(command))]

const isName = (word: string | undefined): word is string => word !== undefined && !word.startsWith("-")

/** For a word that stands where a command's name belongs and is none: the library names those of `svc`, wherever it stood. */
const misnamed = ([first, second]: ReadonlyArray<string>): Refused | undefined => {
  if (!isName(first)) return undefined
  const groups = new Map(all.map(({ descriptor }) => [nameOf(descriptor), namesBelow(descriptor)]))
  const below = groups.get(first)
  if (below === undefined) return noCommand("svc", first, [...groups.keys()])
  const isGroup = !below.includes(first) // the library calls a command without others the only one of its own
  return isGroup && isName(second) && !below.includes(second) ? noCommand(`svc ${first}`, second, below) : undefined
}

/** The library says which value is no number, and not of which option it is the value. */
const withOption = (args: ReadonlyArray<string>, message: string): string => {
  const value = /'(.*)' is not a integer/.exec(message)?.[1]
  if (value === undefined) return message
  const [joined] = args.filter((arg) => arg.startsWith("--") && arg.endsWith(`=${value}`)).map((arg) => arg.split("=", 1)[0])
  const option = joined ?? args[args.indexOf(value) - 1] ?? ""
  return `${option} takes a whole number, and '${value}' is none`
}

const shells = ["bash", "fish", "sh", "zsh"]

/** For a shell that the library cannot complete in, it lists the commands of `svc`. */
const unknownShell = (args: ReadonlyArray<string>): Refused | undefined => {
  const at = args.indexOf("--completions")
  return at === -1 || shells.includes(args[at + 1] ?? "")
    ? undefined
    : new Refused({ message: `--completions takes the name of a shell: ${shells.join(", ")}`, usage: true })
}

/** The program `svc`: runs the command that the process's arguments name. */
export const cli = (args: ReadonlyArray<string>) => {
  const given = args.slice(2)
  const mistake = misnamed(given) ?? unknownShell(given)
  if (mistake !== undefined) return mistake
  const log = given.includes("--completions") ? repaired : (text: string) => text
  return Effect.consoleWith((console) =>
    Effect.withConsole(Effect.provide(run(args), CliConfig.layer({ showBuiltIns: false })), {
      ...console,
      log: (...parts) => console.log(...parts.map((part) => log(String(part)))),
      error: (...parts) => console.error(...parts.map((part) => withOption(given, String(part))))
    }))
}
