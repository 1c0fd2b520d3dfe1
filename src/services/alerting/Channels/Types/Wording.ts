import type { Notification } from "../../../../domain/alerting/Notification.ts"
import { titleOfKind } from "../../../../domain/alerting/Notification/Message.ts"
import type { Severity } from "../../../../domain/triggers/Trigger.ts"

/** What happened, in one line. */
export const headlineOf = ({ kind, title, trigger }: Notification): string =>
  titleOfKind(kind, trigger, title.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim())

/** The facts that every channel shows, with the project first. */
export const factsOf = ({ facts, project }: Notification): Notification["facts"] =>
  project === null ? facts : [{ name: "Project", value: project.name }, ...facts]

/** What a reader can do, with its link. */
export const actionsOf = ({ links }: Notification): ReadonlyArray<{ readonly label: string; readonly url: string }> =>
  [
    { label: "Show", url: links.view },
    { label: "Acknowledge", url: links.acknowledge },
    { label: "Snooze", url: links.snooze }
  ].flatMap(({ label, url }) => (url === null ? [] : [{ label, url }]))

const colors: Record<Severity, string> = {
  critical: "#b71c1c",
  error: "#e53935",
  warning: "#fb8c00",
  info: "#1e88e5"
}

/** Green once it has recovered. */
export const colorOf = (
  { kind, severity }: Notification
): string => (kind === "recovered" ? "#43a047" : colors[severity])
