import { Command } from "@effect/cli"
import { version } from "../domain/kernel/Version.ts"
import {
  auth,
  bootstrapAdmin,
  changePassword,
  createSuperuser,
  resetMfa,
  resetSetup,
  vouch
} from "./groups/accounts.ts"
import { agent } from "./groups/agent.ts"
import { agents } from "./groups/agents.ts"
import { alerts } from "./groups/alerts.ts"
import { apiKeys } from "./groups/api-keys.ts"
import { approvals } from "./groups/approvals.ts"
import { audit } from "./groups/audit.ts"
import { backup, restore } from "./groups/backup.ts"
import { bulkJobs } from "./groups/bulk-jobs.ts"
import { bulkRetry } from "./groups/bulk-retry.ts"
import { mintSchedulerCert } from "./groups/certificates.ts"
import { channels } from "./groups/channels.ts"
import { commands } from "./groups/commands.ts"
import { allowedHosts, config, init, metricsToken } from "./groups/config.ts"
import { issues } from "./groups/issues.ts"
import { login, logout, whoami } from "./groups/login.ts"
import { invitations, members } from "./groups/members.ts"
import { migrate } from "./groups/migrate.ts"
import { projects, resetProjectPolicies } from "./groups/projects.ts"
import { queues } from "./groups/queues.ts"
import { reset } from "./groups/reset.ts"
import { rules } from "./groups/rules.ts"
import { misfires, schedules } from "./groups/schedules.ts"
import { secretKey } from "./groups/secret-key.ts"
import { check, doctor, printVersion, serve, status, supportBundle } from "./groups/serve.ts"
import { stats } from "./groups/stats.ts"
import { subscriptions } from "./groups/subscriptions.ts"
import { tasks } from "./groups/tasks.ts"
import { upgrade } from "./groups/upgrade.ts"
import { users } from "./groups/users.ts"
import { windows } from "./groups/windows.ts"
import { workers } from "./groups/workers.ts"
import { makeProgram } from "./Program.ts"

const sections = [
  {
    heading: "Run a brain",
    commands: [
      serve,
      check,
      doctor,
      status,
      supportBundle,
      printVersion,
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
    heading: "People who sign in",
    commands: [bootstrapAdmin, createSuperuser, changePassword, auth, resetMfa, resetProjectPolicies, resetSetup, vouch]
  },
  { heading: "Backups", commands: [backup, restore] },
  { heading: "Keys, certificates and the audit log", commands: [secretKey, mintSchedulerCert, audit] },
  { heading: "On an agent's machine", commands: [agent] },
  {
    heading: "Operate tasks, from anywhere",
    commands: [
      login,
      logout,
      whoami,
      apiKeys,
      agents,
      tasks,
      issues,
      stats,
      commands,
      bulkRetry,
      bulkJobs,
      queues,
      workers,
      schedules,
      misfires,
      channels,
      subscriptions,
      alerts,
      windows,
      approvals,
      rules,
      projects,
      users,
      members,
      invitations
    ]
  }
] as const

const name = "svc"

const run = Command.make(name).pipe(
  Command.withDescription("See and operate the background tasks of every engine you run."),
  Command.withSubcommands([
    ...sections[0].commands,
    ...sections[1].commands,
    ...sections[2].commands,
    ...sections[3].commands,
    ...sections[4].commands,
    ...sections[5].commands
  ]),
  Command.run({ name, version })
)

/** The program `svc`. */
export const cli = makeProgram({
  name,
  summary: "see and operate the background tasks of every engine you run.",
  examples: [
    ["svc serve", "serve at http://127.0.0.1:7700"],
    ["svc login --email you@example.com", "sign in, keep an API key"],
    ["svc tasks list --state failure --since 1h", "what failed in the last hour"],
    ["svc commands retry <task> --wait", "run a task again"]
  ],
  sections,
  run,
  runAlone: [metricsToken.descriptor, backup.descriptor] // print the token, write a backup
})
