import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const approvals: Texts["approvals"] = {
  title: common.approvals,
  intro: "Aktionen, die eine zweite Person freigeben muss. Welche, legen Administratoren in den Einstellungen fest.",
  filter: common.status,
  none: "Nichts wartet auf Freigabe",
  noneHint:
    "Hier erscheinen Queue-Leerungen, große Massenaktionen und Regeln, die wiederholen oder abbrechen, wenn die Einstellungen des Projekts eine Freigabe verlangen.",
  noneOfStatus: "Keine Freigaben mit diesem Status",
  tabs: {
    pending: common.waiting,
    approved: "Abgeschlossen",
    failed: common.failed,
    rejected: "Abgelehnt",
    expired: "Abgelaufen",
    all: common.all
  },
  statusHints: {
    pending: "Noch wurde nichts ausgeführt. Die Aktion läuft im Namen des Benutzers, der sie freigibt.",
    approved: "Eine zweite Person hat die Aktion freigegeben, und sie wurde ausgeführt.",
    failed:
      "Eine zweite Person hat die Aktion freigegeben, doch danach hat der Server sie abgelehnt. Nichts wurde ausgeführt.",
    rejected: "Eine zweite Person hat die Aktion abgelehnt. Nichts wurde ausgeführt.",
    expired:
      "Keine zweite Person hat rechtzeitig entschieden. Nichts wurde ausgeführt. Die Aktion kann erneut angefragt werden."
  },
  kinds: {
    purge_queue: "Leerung einer Queue",
    bulk_retry: "Wiederholung vieler Tasks",
    bulk_retry_request: common.bulkRetry,
    bulk_delete: "Löschung vieler Tasks",
    bulk_cancel: "Abbruch vieler Tasks",
    rule_create: "Neue Automatisierungsregel",
    rule_update: "Änderung einer Automatisierungsregel",
    rule_reset: "Schutzschalter einer Automatisierungsregel",
    membership_grant: "Neuer Administrator des Projekts",
    membership_role: "Rolle eines Mitglieds",
    invitation: "Einladung eines Administrators",
    user_update: "Rechte eines Kontos",
    policy: "Änderung der Freigabepflicht"
  },
  requestedByName: (name) => `angefragt von ${name}`,
  kind: common.kind,
  requestedBy: "Angefragt von",
  requestedAt: "Angefragt",
  expiresAt: common.expires,
  decidedBy: "Entschieden von",
  decidedAt: "Entschieden",
  reason: common.reason,
  request: "Anfrage",
  result: common.result,
  change: "Was sich ändert",
  before: "Vorher",
  after: "Nachher",
  revision: (r) => `Revision ${r}`,
  outdated:
    "Das Ziel hatte sich seit der Anfrage geändert, oder die Aktion hätte mehr betroffen als damals. Nichts wurde ausgeführt. Fragen Sie sie erneut an, wenn sie noch gebraucht wird.",
  noResult:
    "Der Server wurde beendet, bevor er das Ergebnis gespeichert hat. Prüfen Sie, ob die Aktion ausgeführt wurde; sie wird nicht wiederholt.",
  approve: "Freigeben",
  reject: "Ablehnen",
  own: "Sie haben dies angefragt; deshalb entscheidet ein anderer Administrator.",
  needsAdmin: "Ein Administrator des Projekts entscheidet.",
  approveQuestion: "Freigeben und ausführen?",
  approveHint: (name) =>
    `Die Aktion läuft sofort, in Ihrem Namen. ${name} hat sie angefragt und erhält eine Nachricht.`,
  rejectQuestion: "Aktion ablehnen?",
  rejectHint: (name) => `Nichts wird ausgeführt. ${name} erhält eine Nachricht mit dem Grund.`,
  rejectReason: common.reason,
  approved: "Freigegeben und ausgeführt",
  failed: "Freigegeben, dann vom Server abgelehnt",
  see: "Freigabe anzeigen",
  waiting: (count: Count) => plural(count, "# wartet auf Sie", "# warten auf Sie"),
  notWaiting: "Die Aktion wartet nicht mehr: Es wurde entschieden, oder sie ist abgelaufen."
}
