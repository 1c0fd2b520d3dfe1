import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const projectSettings: Texts["projectSettings"] = {
  title: common.settings,
  onlyAdmins: "Nur Administratoren des Projekts können seine Einstellungen ändern.",
  create: "Projekt erstellen",
  general: "Allgemein",
  name: common.name,
  slug: "Slug",
  slugHint:
    "Der Name in Adressen und API-Pfaden. Nach einer Änderung funktionieren alte Links und die Pfade von Skripten nicht mehr.",
  newSlugHint: "Der Name in Adressen und API-Pfaden: Kleinbuchstaben, Ziffern und Bindestriche.",
  description: "Beschreibung",
  environment: "Umgebung",
  environmentHint: "Eine Bezeichnung wie production. Sie ändert sonst nichts.",
  zone: common.timeZone,
  zoneHint:
    "In dieser Zone sehen Benutzer die Zeiten, wenn sie die Zone des Projekts wählen. Zeitpläne haben eine eigene Zone.",
  searchable: "Durchsuchbare Werte",
  searchableHint:
    "Argumente und Ergebnisse, die über einen Index gesucht werden, höchstens 16 Stellen. Eine Stelle wird in den Werten eines Tasks markiert. Jede kostet den Server etwas Zeit für jeden Task des Namens.",
  noSearchable: "Noch ist keine Stelle durchsuchbar.",
  searchableStatuses: { waiting: "Nur neue Tasks", filling: "Wird gefüllt", ready: "Gefüllt" },
  searchableSince: (time) => `Tasks seit ${time}`,
  stopSearchable: "Index entfernen",
  taskName: common.taskName,
  place: "Stelle",
  status: common.status,
  actions: common.actions,
  access: "Zugriff und Nutzdaten",
  payloadRole: "Wer Argumente und Ergebnisse sieht",
  payloadRoleHint:
    "Für andere sind sie in Tasks, Zeitplänen und Exporten ausgeblendet. Exceptions und Tracebacks bleiben sichtbar.",
  payloadRoles: {
    viewer: "Alle Mitglieder",
    auditor: "Prüfer und Administratoren",
    operator: "Operatoren und Administratoren",
    admin: "Nur Administratoren"
  },
  addresses: "Erlaubte IP-Adressen",
  addressesHint:
    "Netze wie 192.0.2.0/24, eines pro Zeile. Ihre eigene Adresse muss dabei sein. Benutzer und API-Schlüssel von anderen Adressen werden abgelehnt; Agenten sind nicht betroffen. Leer: alle Adressen.",
  approvals: common.approvals,
  approvalsHint: "Ausgewählte Aktionen warten, bis eine zweite Person sie freigibt.",
  approvalsActiveHint:
    "Ausgewählte Aktionen warten, bis eine zweite Person sie freigibt. Auch eine Änderung dieser Regelung wartet.",
  holdPurges: "Leeren von Queues",
  holdRules: "Automatisierungsregeln, die wiederholen oder abbrechen",
  holdRulesHint: "Das Erstellen und Ändern solcher Regeln. Das Löschen braucht keine Freigabe.",
  holdBulk: "Massenaktionen auf mehr als (Tasks)",
  holdBulkHint: "Massenwiederholungen, -löschungen und -abbrüche. Leer: keine davon braucht eine Freigabe.",
  schedulers: common.schedulers,
  owner: "Scheduler neuer Zeitpläne",
  ownerHint: "Er löst Zeitpläne aus, die keinen eigenen Scheduler nennen, zum Beispiel svc-scheduler.",
  allowedSchedulers: "Erlaubte Scheduler",
  allowedSchedulersHint: "Einer pro Zeile. Zeitpläne anderer Scheduler werden nicht ausgelöst. Leer: alle Scheduler.",
  delete: "Projekt löschen",
  deleteTitle: common.deleteTitle,
  deleteHint:
    "Das Projekt verschwindet sofort. Seine Agenten werden getrennt, offene Befehle abgebrochen, und seine Tasks, Mitglieder und API-Schlüssel gelöscht. Das lässt sich nicht rückgängig machen."
}
