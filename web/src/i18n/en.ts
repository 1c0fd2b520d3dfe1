import { account } from "./en/account.ts"
import { activity } from "./en/activity.ts"
import { agents } from "./en/agents.ts"
import { alerts } from "./en/alerts.ts"
import { apiKeys } from "./en/apiKeys.ts"
import { approvals } from "./en/approvals.ts"
import { attention } from "./en/attention.ts"
import { audit } from "./en/audit.ts"
import { automation } from "./en/automation.ts"
import { bulkJobs } from "./en/bulkJobs.ts"
import { bulkRetries } from "./en/bulkRetries.ts"
import { channels } from "./en/channels.ts"
import { commands } from "./en/commands.ts"
import { common } from "./en/common.ts"
import { deadLetters } from "./en/deadLetters.ts"
import { deliveries } from "./en/deliveries.ts"
import { differences } from "./en/differences.ts"
import { exportJobs } from "./en/exportJobs.ts"
import { failures } from "./en/failures.ts"
import { home } from "./en/home.ts"
import { inbox } from "./en/inbox.ts"
import { keys } from "./en/keys.ts"
import { maintenance } from "./en/maintenance.ts"
import { names } from "./en/names.ts"
import { notifications } from "./en/notifications.ts"
import { oldRows } from "./en/oldRows.ts"
import { overview } from "./en/overview.ts"
import { ownNotifications } from "./en/ownNotifications.ts"
import { palette } from "./en/palette.ts"
import { people } from "./en/people.ts"
import { persons } from "./en/persons.ts"
import { projectSettings } from "./en/projectSettings.ts"
import { queues } from "./en/queues.ts"
import { schedules } from "./en/schedules.ts"
import { secondFactor } from "./en/secondFactor.ts"
import { subscriptions } from "./en/subscriptions.ts"
import { system } from "./en/system.ts"
import { task } from "./en/task.ts"
import { tasks } from "./en/tasks.ts"
import { users } from "./en/users.ts"
import { workers } from "./en/workers.ts"

/**
 * Every text of the dashboard. The other languages have the same shape. A text with numbers or names is a function;
 * numbers arrive formatted.
 */
export const en = {
  common,
  productName: "svc",
  loading: common.loading,
  skipToContent: "Skip to content",
  skipToList: "Skip to list",
  close: "Close",
  cancel: common.cancel,
  keepRunning: "Keep running",
  copy: common.copy,
  copied: "Copied",
  none: "none",
  older: "Load more",
  forms: {
    typeToConfirm: (phrase: string) => `Type ${phrase} to confirm`,
    save: "Save",
    create: common.create,
    edit: common.edit,
    delete: common.delete,
    optional: "optional",
    awaitsApproval: "Waiting for approval",
    done: "Done",
    saved: "Saved.",
    durationProblem: "Enter a duration, such as 15 min or 4 h.",
    durationRange: (min: string, max: string) => `Enter a duration from ${min} to ${max}.`,
    requested: "Waiting for approval. Nothing has changed yet."
  },
  stepUp: {
    title: "Confirm it's you",
    hint: "Enter your password or a code again. The last one was given more than a few minutes ago."
  },
  error: {
    title: "Couldn't load this page",
    actionTitle: "Action failed",
    unreachable: "Can't reach the server. Data may be out of date.",
    noProblem: (status: string) =>
      `Another program answered, with status ${status}. Check the reverse proxy in front of the server.`,
    requestId: "Request ID",
    retry: "Try again",
    notFound: "Page not found",
    notFoundHint: "The address may be old or mistyped.",
    noProject: "Project not found",
    noProjectHint: "It may have been renamed or deleted, or you aren't a member.",
    toHome: "Go to all projects"
  },
  connection: {
    lost: "No connection, trying again",
    upgraded: "The server was upgraded",
    reloads: "The page reloads in a moment.",
    saveFirst: "Save your changes, then reload the page.",
    reload: "Reload the page"
  },
  unsaved: {
    title: "Discard unsaved changes?",
    keep: "Keep editing",
    discard: "Discard changes"
  },
  wall: {
    open: "Wall view",
    leave: "Leave wall view",
    signedOut: "Signed out. Sign in to show the wall view.",
    lost: "No connection to the server",
    lostSince: (time: string) => `No connection to the server. This is as of ${time}.`
  },
  live: {
    live: "Live",
    connecting: "Reconnecting",
    paused: common.paused,
    pause: "Pause updates",
    resume: "Resume updates",
    trueAt: common.asOf
  },
  session: {
    title: "Sign in",
    email: common.email,
    password: common.password,
    remember: "Stay signed in on this device",
    submit: "Sign in",
    forgot: "Forgot your password?",
    provider: "Sign in with your provider",
    codeTitle: common.secondFactor,
    codeHint: "The code of your authenticator app, or one of your recovery codes.",
    code: "Code",
    trust: "Don't ask again on this device",
    verify: common.continue,
    signOut: "Sign out",
    ended: "Your session has ended. Sign in to continue where you left off."
  },
  settings: {
    theme: "Theme",
    themes: { system: common.system, light: "Light", dark: "Dark" },
    language: "Language",
    zone: "Times",
    zones: { browser: "In this browser's zone", utc: "In UTC", project: "In the project's zone" },
    account: "Account and settings"
  },
  nav: {
    label: "Project pages",
    allProjects: common.allProjects,
    overview: common.overview,
    tasks: common.tasks,
    commands: common.commands,
    queues: common.queues,
    workers: common.workers,
    agents: common.agents,
    switchProject: "Switch project",
    failures: common.failures,
    schedules: common.schedules,
    notifications: common.notifications,
    automation: common.automation,
    approvals: common.approvals,
    activity: common.activity,
    audit: common.auditLog,
    people: common.people,
    settings: common.settings,
    inbox: common.inbox,
    system: common.system,
    users: common.users,
    account: common.account,
    more: "More pages"
  },
  states: {
    pending: "Pending",
    received: "Received",
    started: "Started",
    success: common.succeededTask,
    failure: common.failedTask,
    retry: "Retrying",
    revoked: common.revoked,
    rejected: common.rejected,
    unknown: common.unknown
  },
  home,
  attention,
  names,
  overview,
  account,
  apiKeys,
  secondFactor,
  projectSettings,
  users,
  system,
  people,
  tasks,
  task,
  failures,
  deadLetters,
  commands,
  bulkJobs,
  bulkRetries,
  exportJobs,
  queues,
  schedules,
  workers,
  agents,
  notifications,
  alerts,
  activity,
  audit,
  automation,
  approvals,
  persons,
  oldRows,
  keys,
  palette,
  channels,
  subscriptions,
  deliveries,
  differences,
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "Notices",
    retry: (what: string) => `Retry: ${what}`,
    cancel: (what: string) => `Cancel: ${what}`,
    refused: "Refused",
    noAgent: "The project has no agent for this engine, so the command cannot run."
  }
}

/** The shape of `en`, with any texts. */
export type Texts = typeof en
