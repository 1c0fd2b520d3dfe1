import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const deliveries: Texts["deliveries"] = {
  title: common.deliveries,
  delivery: "Zustellung",
  status: common.status,
  statuses: { pending: common.pending, sent: "Gesendet", failed: common.failed, suppressed: "Nicht gesendet" },
  statusHints: {
    pending: "Wartet auf den ersten oder nächsten Versuch.",
    sent: "Der Empfänger hat die Nachricht angenommen.",
    failed: "Zehn Versuche schlugen fehl, oder der Fehler war dauerhaft.",
    suppressed:
      "Der Kanal wurde gelöscht oder ist nicht aktiv, oder sein Eigentümer darf die Nachricht nicht mehr erhalten."
  },
  allStatuses: "Jeder Status",
  allChannels: "Alle Kanäle",
  project: common.project,
  allProjects: common.allProjects,
  ofOneAlert: "Eines Alarms",
  clearFilter: common.showAll,
  channel: common.channel,
  trigger: common.trigger,
  task: common.task,
  attempts: common.attempts,
  response: "Antwort",
  when: "Letzter Versuch",
  resent: "erneut gesendet",
  none: "Noch keine Zustellungen",
  noneHint:
    "Testen Sie einen Kanal, oder warten Sie auf den ersten Alarm: Jede Nachricht an einen Kanal erscheint hier.",
  noneMatch: "Keine passenden Zustellungen",
  attempt: (number: string) => `Versuch ${number}`,
  took: (duration: string) => `Dauer ${duration}`,
  code: common.statusCode,
  noResponse: "kein HTTP-Status",
  responseTo: (number: string) => `Antwort auf Versuch ${number}`,
  toChannel: (name: string, type: string) => `an ${name} (${type})`,
  nextAttempt: "Nächster Versuch",
  sentBy: (person: string) => `gesendet von ${person}`,
  noAttempt: "Noch kein Versuch ist beendet.",
  resend: "Erneut senden",
  clear: "Protokoll löschen",
  clearTitle: "Protokoll der Zustellungen löschen",
  clearHint:
    "Löscht beendete Zustellungen an alle Kanäle des Projekts samt ihren Versuchen. Sie lassen sich danach weder lesen noch erneut senden. Ausstehende und das Audit-Log bleiben.",
  which: "Welche Zustellungen",
  olderThan: (duration: string) => `Älter als ${duration}`,
  allEnded: "Alle beendeten",
  cleared: (count: Count) => plural(count, "# Zustellung gelöscht", "# Zustellungen gelöscht"),
  clearedHint: "Ausstehende Zustellungen und das Audit-Log bleiben."
}
