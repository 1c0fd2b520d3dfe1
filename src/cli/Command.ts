import { CliConfig, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { findClosest } from "./Closest.ts"
import { version as current } from "../domain/Version.ts"
import { agent } from "./commands/agent.ts"
import { allowedHosts } from "./commands/allowed-hosts.ts"
import { agents } from "./commands/agents.ts"
import { auth } from "./commands/auth.ts"
import { apiKeys } from "./commands/api-keys.ts"
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
import { queues } from "./commands/queues.ts"
import { resetMfa } from "./commands/reset-mfa.ts"
import { resetSetup } from "./commands/reset-setup.ts"
import { secretKey } from "./commands/secret-key.ts"
import { serve } from "./commands/serve.ts"
import { status } from "./commands/status.ts"
import { tasks } from "./commands/tasks.ts"
import { version } from "./commands/version.ts"
import { whoami } from "./commands/whoami.ts"
import { workers } from "./commands/workers.ts"
import { repairBashScript } from "./Completions.ts"
import { isInteractive } from "./Confirm.ts"
import { Refused } from "./Explain.ts"
import { commandHelp, subcommandsOf, type CommandDescription, groupHelp, isGroup, type NamedCommand, nameOf, rootHelp } from "./Help.ts"
import { errorWithOption } from "./LibraryErrors.ts"

const sections = [
  { heading: "Run a brain", commands: [serve, check, doctor, status, version, init, config, allowedHosts, metricsToken, migrate] },
  { heading: "People who sign in", commands: [bootstrapAdmin, createSuperuser, changePassword, auth, resetMfa, resetSetup] },
  { heading: "Keys and the audit log", commands: [secretKey, audit] },
  { heading: "An agent's machine", commands: [agent] },
  { heading: "Operate tasks, from anywhere", commands: [login, logout, whoami, apiKeys, agents, tasks, commands, queues, workers] }
] as const

const examples = [
  ["svc serve", "serve at http://127.0.0.1:7700"],
  ["svc login --email you@example.com", "sign in, keep an API key"],
  ["svc tasks list --state failure --since 1h", "what failed in the last hour"],
  ["svc commands retry <task> --wait", "run a task again"]
] as const

const run = Command.make("svc").pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands([...sections[0].commands, ...sections[1].commands, ...sections[2].commands, ...sections[3].commands, ...sections[4].commands]),
  Command.run({ name: "svc", version: current })
)

const groups = sections.map(({ commands, heading }) => ({ heading, commands: commands.map(({ descriptor }): CommandDescription => descriptor) }))
const root: ReadonlyMap<string, CommandDescription> = new Map(groups.flatMap(({ commands }) => commands.map((command) => [nameOf(command), command])))

/** A word stands where a command's name belongs and is none: the library names those of `svc`, wherever it stood. */
const unknownCommand = (path: ReadonlyArray<string>, word: string, names: ReadonlyMap<string, CommandDescription>): Refused => {
  const prefix = ["svc", ...path].join(" ")
  const meant = findClosest(word, names.keys())
  const hint = meant === undefined ? `it has ${[...names.keys()].toSorted().join(", ")}` : `did you mean ${prefix} ${meant}?`
  return new Refused({ message: `${prefix} has no command ${word}; ${hint}`, usage: true })
}

/** The command that the words before the first option name. */
const findCommand = (given: ReadonlyArray<string>): NamedCommand | Refused | undefined => {
  const [first, second] = given
  if (first === undefined || first.startsWith("-")) return undefined
  const command = root.get(first)
  if (command === undefined) return unknownCommand([], first, root)
  const subcommands = subcommandsOf(command)
  if (subcommands.size === 0 || second === undefined || second.startsWith("-")) return { path: [first], command }
  const subcommand = subcommands.get(second)
  return subcommand === undefined ? unknownCommand([first], second, subcommands) : { path: [first, second], command: subcommand }
}

const shells = ["bash", "fish", "sh", "zsh"]

/** For a shell that the library cannot complete in, it lists the commands of `svc`. */
const unknownShell = (given: ReadonlyArray<string>): Refused | undefined => {
  const at = given.indexOf("--completions")
  return at === -1 || shells.includes(given[at + 1] ?? "")
    ? undefined
    : new Refused({ message: `--completions takes the name of a shell: ${shells.join(", ")}`, usage: true })
}

/** The library's wizard reads keys, and waits for ever where nobody presses any. */
const wizardNeedsTerminal = new Refused({ message: "--wizard asks questions: run it in a terminal", usage: true })

/** The program `svc`: runs the command that the process's arguments name. */
export const cli = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const given = args.slice(2)
    const shellRefusal = unknownShell(given)
    if (shellRefusal !== undefined) return yield* shellRefusal
    if (given.includes("--wizard") && !(yield* isInteractive)) return yield* wizardNeedsTerminal
    const found = findCommand(given)
    if (found instanceof Refused) return yield* found
    const asksHelp = given.includes("--help") || given.includes("-h")
    if (found === undefined && (given.length === 0 || asksHelp)) return yield* Console.log(rootHelp(current, groups, examples))
    if (found !== undefined && isGroup(found.command) && (asksHelp || found.command !== metricsToken.descriptor)) {
      return yield* Console.log(groupHelp(found))
    }
    const rewrite = (text: string): string => {
      if (given.includes("--completions")) return repairBashScript(text)
      return asksHelp && found !== undefined ? commandHelp(found, text) : text
    }
    yield* Effect.consoleWith((console) =>
      Effect.withConsole(Effect.provide(run(args), CliConfig.layer({ showBuiltIns: false })), {
        ...console,
        log: (...parts) => console.log(...parts.map((part) => rewrite(String(part)))),
        error: (...parts) => console.error(...parts.map((part) => errorWithOption(given, found?.command, String(part))))
      }))
  })
