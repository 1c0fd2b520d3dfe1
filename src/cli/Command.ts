import { CliConfig, Command } from "@effect/cli"
import { Effect } from "effect"
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
import { serve } from "./commands/serve.ts"
import { status } from "./commands/status.ts"
import { tasks } from "./commands/tasks.ts"
import { version } from "./commands/version.ts"
import { repaired } from "./Completions.ts"

const run = Command.make("svc").pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands([
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
    migrate,
    audit,
    agent,
    login,
    logout,
    agents,
    tasks,
    commands
  ]),
  Command.run({ name: "svc", version: current })
)

/** The program `svc`: runs the command that the process's arguments name. */
export const cli = (args: ReadonlyArray<string>) => {
  const running = Effect.provide(run(args), CliConfig.layer({ showBuiltIns: false }))
  if (!args.includes("--completions")) return running
  return Effect.consoleWith((console) =>
    Effect.withConsole(running, { ...console, log: (script) => console.log(repaired(String(script))) }))
}
