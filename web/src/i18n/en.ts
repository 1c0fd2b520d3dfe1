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
import { deadLetters } from "./en/deadLetters.ts"
import { deliveries } from "./en/deliveries.ts"
import { exportJobs } from "./en/exportJobs.ts"
import { failures } from "./en/failures.ts"
import { home } from "./en/home.ts"
import { inbox } from "./en/inbox.ts"
import { keys } from "./en/keys.ts"
import { maintenance } from "./en/maintenance.ts"
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
  productName: "svc",
  loading: "Loading",
  skipToContent: "Skip to the content",
  close: "Close",
  cancel: "Cancel",
  copy: "Copy",
  copied: "Copied",
  none: "none",
  older: "Load older ones",
  forms: {
    typeToConfirm: (phrase: string) => `Type ${phrase} to confirm`,
    save: "Save",
    create: "Create",
    edit: "Edit",
    delete: "Delete",
    optional: "optional",
    awaitsApproval: "This waits for a second person",
    done: "Done",
    saved: "Saved."
  },
  stepUp: {
    title: "Confirm that it is you",
    hint: "This action needs your password or a code again, because the last one was given more than a few minutes ago."
  },
  error: {
    title: "This could not be loaded",
    actionTitle: "This was not done",
    unreachable: "The brain does not answer, so what you see may be old. Try again when it runs.",
    noProblem: (status: string) =>
      `The answer came from another program, with status ${status}. Look at the reverse proxy before the brain.`,
    requestId: "Request id",
    retry: "Try again",
    notFound: "There is no such page",
    notFoundHint: "The address may be old or mistyped.",
    toHome: "To all projects"
  },
  live: {
    live: "Live",
    connecting: "Reconnecting",
    paused: "Paused",
    pause: "Pause updates",
    resume: "Resume updates",
    trueAt: (time: string) => `as of ${time}`
  },
  session: {
    title: "Sign in",
    email: "E-mail address",
    password: "Password",
    remember: "Stay signed in on this device",
    submit: "Sign in",
    forgot: "Forgot the password?",
    provider: "Sign in with your provider",
    codeTitle: "Second factor",
    codeHint: "The code of your authenticator app, or one of your recovery codes.",
    code: "Code",
    trust: "Do not ask again on this device",
    verify: "Continue",
    signOut: "Sign out",
    ended: "Your session has ended. Sign in to continue where you were."
  },
  settings: {
    theme: "Theme",
    themes: { system: "System", light: "Light", dark: "Dark" },
    language: "Language",
    zone: "Times",
    zones: { browser: "In this browser's zone", utc: "In UTC", project: "In the project's zone" },
    account: "Account and settings"
  },
  nav: {
    label: "Pages of the project",
    allProjects: "All projects",
    overview: "Overview",
    tasks: "Tasks",
    commands: "Commands",
    queues: "Queues",
    workers: "Workers",
    agents: "Agents",
    switchProject: "Change the project",
    failures: "Failures",
    schedules: "Schedules",
    notifications: "Notifications",
    automation: "Automation",
    approvals: "Approvals",
    activity: "Activity",
    audit: "Audit log",
    people: "People",
    settings: "Settings",
    inbox: "Inbox",
    system: "System",
    users: "Users",
    account: "Account",
    more: "More pages"
  },
  states: {
    pending: "Pending",
    received: "Received",
    started: "Started",
    success: "Succeeded",
    failure: "Failed",
    retry: "Retrying",
    revoked: "Revoked",
    rejected: "Rejected",
    unknown: "Unknown"
  },
  home,
  attention,
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
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "Notices",
    retry: (what: string) => `Retry: ${what}`,
    cancel: (what: string) => `Cancel: ${what}`,
    refused: "Refused",
    noAgent: "No agent of this engine is in the project, so nothing can execute the command."
  }
}

/** The shape of `en`, with any texts. */
export type Texts = typeof en
