import { CliConfig, Command } from "@effect/cli"
import { Console, Effect } from "effect"
import { version } from "../domain/Version.ts"
import { asksForHelp, findCommand, rejectBuiltIns, withRepairedOutput } from "./EffectCli.ts"
import { CliError } from "./Explain.ts"
import { agent } from "./groups/agent.ts"
import { agents } from "./groups/agents.ts"
import { apiKeys } from "./groups/api-keys.ts"
import { audit } from "./groups/audit.ts"
import { commands } from "./groups/commands.ts"
import { allowedHosts, config, init, metricsToken } from "./groups/config.ts"
import { login, logout, whoami } from "./groups/login.ts"
import { migrate } from "./groups/migrate.ts"
import { queues } from "./groups/queues.ts"
import { misfires, schedules } from "./groups/schedules.ts"
import { secretKey } from "./groups/secret-key.ts"
import { check, doctor, printVersion, serve, status } from "./groups/serve.ts"
import { tasks } from "./groups/tasks.ts"
import { auth, bootstrapAdmin, changePassword, createSuperuser, resetMfa, resetSetup } from "./groups/users.ts"
import { workers } from "./groups/workers.ts"
import { type CommandDescription, groupHelp, isGroup, nameOf, rootHelp } from "./Help.ts"

const sections = [
  {
    heading: "Run a brain",
    commands: [serve, check, doctor, status, printVersion, init, config, allowedHosts, metricsToken, migrate]
  },
  {
    heading: "People who sign in",
    commands: [bootstrapAdmin, createSuperuser, changePassword, auth, resetMfa, resetSetup]
  },
  { heading: "Keys and the audit log", commands: [secretKey, audit] },
  { heading: "On an agent's machine", commands: [agent] },
  {
    heading: "Operate tasks, from anywhere",
    commands: [login, logout, whoami, apiKeys, agents, tasks, commands, queues, workers, schedules, misfires]
  }
] as const

const examples = [
  ["svc serve", "serve at http://127.0.0.1:7700"],
  ["svc login --email you@example.com", "sign in, keep an API key"],
  ["svc tasks list --state failure --since 1h", "what failed in the last hour"],
  ["svc commands retry <task> --wait", "run a task again"]
] as const

const run = Command.make("svc").pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands([
    ...sections[0].commands,
    ...sections[1].commands,
    ...sections[2].commands,
    ...sections[3].commands,
    ...sections[4].commands
  ]),
  Command.run({ name: "svc", version })
)

const groups = sections.map(({ commands, heading }) => ({
  heading,
  commands: commands.map(({ descriptor }): CommandDescription => descriptor)
}))
const root: ReadonlyMap<string, CommandDescription> = new Map(
  groups.flatMap(({ commands }) => commands.map((command) => [nameOf(command), command]))
)

/** The program `svc`: runs the command that the process's arguments name. */
export const cli = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const given = args.slice(2)
    yield* rejectBuiltIns(given)
    const named = findCommand(root, given)
    if (named instanceof CliError) return yield* named
    if (named === undefined && (given.length === 0 || asksForHelp(given))) {
      return yield* Console.log(rootHelp(version, groups, examples))
    }
    // A group alone shows its help, except `metrics-token`, which does something itself.
    if (
      named !== undefined && isGroup(named.command) && (asksForHelp(given) || named.command !== metricsToken.descriptor)
    ) {
      return yield* Console.log(groupHelp(named))
    }
    yield* Effect.provide(run(args), CliConfig.layer({ showBuiltIns: false })).pipe(withRepairedOutput(given, named))
  })
