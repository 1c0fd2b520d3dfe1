import { OpenApi } from "@effect/platform"

/** The chapters of the reference, in the order in which a person needs them. */
export const tags = {
  "Setup": "The first admin, on a brain that has none.",
  "Sign-in": "Login by password, the own account, and its sessions. Scripts use an API key instead.",
  "Second factor": "TOTP codes, recovery codes and trusted devices of the own account.",
  "Password reset": "A new password by a mailed link.",
  "API keys": "Keys for scripts. A key acts as its owner, within its scopes.",
  "Projects": "What tasks, agents and memberships belong to.",
  "Members": "Who has which role in a project, and invitations to it.",
  "Agents": "What connects to a project: one token and one signing secret, used by any number of processes.",
  "Tasks": "Tasks of every engine: lists, details, trees, timelines, live updates and exports.",
  "Commands":
    "What agents are asked to do: retry, cancel, purge, resize, restart. The response to a command arrives before its agent has executed it; read the command again for its outcome.",
  "Schedules": "When tasks are submitted: definitions, fires, misfires, and operations on them.",
  "Notifications":
    "Who is notified of what: channels, defaults, subscriptions, alerts, maintenance windows, deliveries and the inbox.",
  "Automation": "Rules that retry, cancel or notify by themselves, and what they did.",
  "Queues and workers": "The engines' queues and workers, and the agents' processes.",
  "Audit": "Who did what: the activity feed, and a project's audit log.",
  "Users": "Accounts, for global admins.",
  "Installation": "Settings, versions and the audit webhook of the brain, for global admins.",
  "Health": "Whether the brain runs and is ready, and what it counts.",
  "Agent protocol": "The connection of agents: a WebSocket, or long-poll over plain HTTP. People do not call these.",
  "Pages": "HTML pages, and this reference."
} as const

export type Tag = keyof typeof tags

/** Puts a group's operations under a chapter. */
export const inChapter = (tag: Tag) => OpenApi.annotations({ title: tag })

/**
 * An operation in the reference: its title, and what a caller must know. `override`: what differs from its group and its
 * access rule.
 */
export const operation = (
  summary: string,
  description: string,
  override?: { readonly tags: readonly [Tag]; readonly security?: ReadonlyArray<OpenApi.OpenAPISecurityRequirement> }
) => OpenApi.annotations({ summary, description, override })
