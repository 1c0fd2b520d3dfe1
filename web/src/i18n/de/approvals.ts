import type { Texts } from "../en.ts"

export const approvals: Texts["approvals"] = {
  title: "Genehmigungen",
  intro:
    "Vorgänge, die warten, bis eine zweite Person sie genehmigt. Welche Vorgänge warten, legen die Einstellungen des Projekts fest.",
  filter: "Status",
  none: "Nichts wartet auf eine zweite Person",
  noneHint:
    "Hier erscheinen Queue-Leerungen, große Massenvorgänge und Regeln, die wiederholen oder abbrechen, wenn die Einstellungen des Projekts es verlangen.",
  noneOfStatus: "Keine Genehmigung mit diesem Status",
  tabs: {
    pending: "Wartet",
    approved: "Erledigt",
    failed: "Fehlgeschlagen",
    rejected: "Abgelehnt",
    expired: "Abgelaufen",
    all: "Alle"
  },
  statusHints: {
    pending: "Noch wurde nichts ausgeführt. Der Vorgang wird im Namen der Person ausgeführt, die ihn genehmigt.",
    approved: "Eine zweite Person hat den Vorgang genehmigt, und er wurde ausgeführt.",
    failed:
      "Eine zweite Person hat den Vorgang genehmigt; danach hat der Brain-Server ihn verweigert. Nichts wurde ausgeführt.",
    rejected: "Eine zweite Person hat den Vorgang abgelehnt. Nichts wurde ausgeführt.",
    expired:
      "Keine zweite Person hat rechtzeitig entschieden. Nichts wurde ausgeführt. Die Person kann den Vorgang erneut anfragen."
  },
  kinds: {
    purge_queue: "Leerung einer Queue",
    bulk_retry: "Wiederholung vieler Tasks",
    bulk_retry_request: "Dauerhafte Massenwiederholung",
    bulk_delete: "Löschung vieler Tasks",
    bulk_cancel: "Abbruch vieler Tasks",
    rule_create: "Neue Automatisierungsregel",
    rule_update: "Änderung einer Automatisierungsregel",
    rule_reset: "Schutzschalter einer Automatisierungsregel",
    membership_grant: "Admin des Projekts",
    membership_role: "Rolle eines Mitglieds",
    invitation: "Einladung eines Admins",
    user_update: "Rechte eines Kontos",
    policy: "Änderung der Genehmigungspflicht"
  },
  requestedByName: (name) => `angefragt von ${name}`,
  kind: "Art",
  requestedBy: "Angefragt von",
  requestedAt: "Angefragt",
  expiresAt: "Läuft ab",
  decidedBy: "Entschieden von",
  decidedAt: "Entschieden",
  reason: "Grund",
  request: "Anfrage",
  result: "Ergebnis",
  change: "Was sich ändert",
  before: "Vorher",
  after: "Nachher",
  revision: (r) => `Revision ${r}`,
  outdated:
    "Was geändert werden sollte, hatte sich seit der Anfrage geändert, oder es hätte mehr betroffen als damals. Nichts wurde getan. Wird es noch gebraucht, muss es neu angefragt werden.",
  noResult:
    "Das Brain wurde beendet, bevor es das Ergebnis gespeichert hat. Prüfen Sie, ob der Vorgang ausgeführt wurde; er wird nicht wiederholt.",
  approve: "Genehmigen",
  reject: "Ablehnen",
  own: "Sie haben dies angefragt; deshalb entscheidet ein anderer Admin.",
  needsAdmin: "Ein Admin des Projekts entscheidet.",
  approveQuestion: "Genehmigen und ausführen?",
  approveHint: (name) =>
    `Der Vorgang wird sofort und in Ihrem Namen ausgeführt. ${name} hat ihn angefragt und erhält eine Nachricht.`,
  rejectQuestion: "Vorgang ablehnen?",
  rejectHint: (name) => `Nichts wird ausgeführt. ${name} erhält eine Nachricht mit dem Grund.`,
  rejectReason: "Grund",
  approved: "Genehmigt und ausgeführt",
  failed: "Genehmigt und danach verweigert",
  see: "Genehmigung ansehen",
  waiting: (count) => `${count} warten auf Sie`,
  notWaiting: "Der Vorgang wartet nicht mehr: Er wurde entschieden oder ist abgelaufen."
}
