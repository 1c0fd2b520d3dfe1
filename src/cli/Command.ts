import { Command } from "@effect/cli"
import { version } from "../domain/kernel/Version.ts"
import { agent } from "./agents/agent.ts"
import { agents } from "./agents/agents.ts"
import { workers } from "./agents/workers.ts"
import { alerts } from "./alerting/alerts.ts"
import { channels } from "./alerting/channels.ts"
import { subscriptions } from "./alerting/subscriptions.ts"
import { windows } from "./alerting/windows.ts"
import { approvals } from "./approvals/approvals.ts"
import { audit } from "./audit/audit.ts"
import { rules } from "./automation/rules.ts"
import { bulkJobs } from "./commands/bulk-jobs.ts"
import { bulkRetry } from "./commands/bulk-retry.ts"
import { commands } from "./commands/commands.ts"
import { queues } from "./commands/queues.ts"
import {
  auth,
  bootstrapAdmin,
  changePassword,
  createSuperuser,
  resetMfa,
  resetSetup,
  vouch
} from "./identity/accounts.ts"
import { apiKeys } from "./identity/api-keys.ts"
import { login, logout, whoami } from "./identity/login.ts"
import { invitations, members } from "./identity/members.ts"
import { projects, resetProjectPolicies } from "./identity/projects.ts"
import { users } from "./identity/users.ts"
import { backup, restore } from "./operations/backup.ts"
import { mintSchedulerCert } from "./operations/certificates.ts"
import { allowedHosts, config, init, metricsToken } from "./operations/config.ts"
import { deploys } from "./operations/deploys.ts"
import { migrate } from "./operations/migrate.ts"
import { reset } from "./operations/reset.ts"
import { secretKey } from "./operations/secret-key.ts"
import { check, doctor, printVersion, serve, status, supportBundle } from "./operations/serve.ts"
import { upgrade } from "./operations/upgrade.ts"
import { makeCompletion } from "./program/completion.ts"
import { makeProgram } from "./program/Program.ts"
import { misfires, schedules } from "./schedules/schedules.ts"
import { failures, issues } from "./tasks/failures.ts"
import { searchablePaths } from "./tasks/searchable-paths.ts"
import { stats } from "./tasks/stats.ts"
import { tasks } from "./tasks/tasks.ts"

const name = "svc"

const completion = makeCompletion(name)

const sections = [
  {
    heading: "Operate tasks, from anywhere",
    commands: [
      tasks,
      failures,
      issues,
      queues,
      workers,
      schedules,
      misfires,
      commands,
      bulkRetry,
      bulkJobs,
      searchablePaths,
      stats,
      deploys
    ]
  },
  { heading: "Alerts and automation", commands: [alerts, channels, subscriptions, windows, rules, approvals] },
  {
    heading: "Signing in, agents, projects and people",
    commands: [login, logout, whoami, apiKeys, agents, projects, members, invitations, users]
  },
  {
    heading: "Run a brain",
    commands: [
      serve,
      check,
      doctor,
      status,
      supportBundle,
      init,
      config,
      allowedHosts,
      metricsToken,
      migrate,
      reset,
      upgrade
    ]
  },
  {
    heading: "Its accounts, on its machine",
    commands: [bootstrapAdmin, createSuperuser, changePassword, auth, resetMfa, resetProjectPolicies, resetSetup, vouch]
  },
  {
    heading: "Its backups, keys, certificates and audit log",
    commands: [backup, restore, secretKey, mintSchedulerCert, audit]
  },
  { heading: "On an agent's machine", commands: [agent] },
  { heading: "This program", commands: [completion, printVersion] }
] as const

const run = Command.make(name).pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands([
    ...sections[0].commands,
    ...sections[1].commands,
    ...sections[2].commands,
    ...sections[3].commands,
    ...sections[4].commands,
    ...sections[5].commands,
    ...sections[6].commands,
    ...sections[7].commands
  ]),
  Command.run({ name, version })
)

/** The program `svc`. */
export const cli = makeProgram({
  name,
  summary: "see and operate the background tasks of every engine you run.",
  examples: [
    ["svc login --email you@example.com", "sign in, keep an API key"],
    ["svc tasks list --state failure --since 1h", "what failed in the last hour"],
    ["svc commands retry <task> --wait", "run a task again"],
    ["svc serve", "serve at http://127.0.0.1:7700"]
  ],
  sections,
  run,
  runAlone: [metricsToken.descriptor, backup.descriptor] // print the token, write a backup
})
