import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const system: Texts["system"] = {
  tabs: { health: common.health, versions: "Versionen", settings: common.settings },
  part: "Teil",
  status: common.status,
  detail: common.details,
  took: common.took,
  statuses: { ok: "In Ordnung", degraded: "Eingeschränkt", failed: common.failed },
  statusHints: {
    ok: "jede Prüfung war erfolgreich.",
    degraded: "der Server arbeitet, aber ein Teil braucht Aufmerksamkeit.",
    failed: "ein Teil, den der Server braucht, funktioniert nicht."
  },
  checks: {
    database: "Datenbank",
    migrations: "Datenbankschema",
    leaders: "Hintergrund-Leases",
    mail: "E-Mail",
    secret_key: "Verschlüsselungsschlüssel",
    audit_chain: "Signiertes Audit-Log",
    audit_verification: "Prüfung des Audit-Logs"
  },
  checkHints: {
    database: "Beantwortet Lese- und Schreibzugriffe.",
    migrations: "Hat die Revision, die dieses Programm braucht.",
    leaders: "Welcher Prozess jede Arbeit ausführt, die nur einer ausführen darf.",
    mail: "Keine E-Mail wartet nach einer gescheiterten Zustellung.",
    secret_key: "Der Schlüssel, der gespeicherte Geheimnisse entschlüsselt, ist bekannt.",
    audit_chain: "Die neuesten Einträge stimmen mit dem Signierten überein.",
    audit_verification: "Der letzte Lauf hat jeden Eintrag gelesen und das Signierte vorgefunden."
  },
  loop: (name: string) => `Hintergrundschleife: ${name}`,
  loops: (running: string, all: string) =>
    `${running} von ${all} Hintergrundschleifen laufen in diesem Prozess ohne Fehler.`,
  revision: (found: string, expected: string) => `Revision ${found}, erwartet ${expected}`,
  forwarder: "Audit-Webhook",
  forwarderOff:
    "Nicht eingerichtet. Mit SVC_AUDIT_WEBHOOK_URL sendet der Server jeden Eintrag des Audit-Logs an ein anderes System.",
  forwarderHint: (worker: string) => `Gezählt seit dem Start des Prozesses ${worker}; jede Replik hat eigene Zahlen.`,
  delivered: "Zugestellte Einträge",
  waiting: "Wartende Einträge",
  dropped: "Verworfene Einträge",
  lastDelivered: "Letzte Zustellung",
  failuresInRow: "Fehler in Folge",
  installation: "Installation",
  program: "svc",
  runtime: "Laufzeitumgebung",
  os: "Betriebssystem",
  database: "Datenbank",
  dialects: { sqlite: "SQLite", pg: "PostgreSQL" },
  schema: "Schema-Revision",
  size: common.size,
  megabytes: (count: string) => `${count} MB`,
  check: "Nach neueren Versionen suchen",
  checked: "Die Liste der Versionen wurde gelesen",
  neverChecked: "Die Liste der Versionen wurde noch nicht gelesen. Der Server liest sie nur auf Ihre Anforderung.",
  package: "Paket",
  installed: "Installiert",
  latest: "Neueste",
  unknown: common.unknown,
  outdated: "Es gibt eine neuere Version",
  current: "Aktuell",
  secondFactor: {
    title: common.secondFactor,
    all: "Alle brauchen einen zweiten Faktor",
    admins: "Globale Administratoren brauchen einen zweiten Faktor",
    none: "Ein zweiter Faktor ist freiwillig",
    without: (count: Count) => `${plural(count, "# aktiver Benutzer hat", "# aktive Benutzer haben")} keinen.`,
    deadline: (days: Count) =>
      `Benutzer ohne einen richten ihn bei der nächsten Anmeldung ein, innerhalb von ${
        plural(days, "# Tag", "# Tagen")
      }.`,
    bySetting: "Die Einstellung SVC_MFA_ENFORCE_FOR_ALL verlangt ihn. Ändern Sie ihn dort.",
    require: "Von allen verlangen",
    relax: "Freiwillig machen",
    requireTitle: "Von allen einen zweiten Faktor verlangen?",
    relaxTitle: "Den zweiten Faktor freiwillig machen?",
    ownFirst: "Sie brauchen zuerst selbst einen zweiten Faktor.",
    setUp: "Einrichten"
  },
  settingsHint: (home: string) =>
    `Die geltenden Werte des antwortenden Prozesses, Geheimnisse sind maskiert. Ändern Sie sie in der Umgebung oder in svc.conf von ${home}, und starten Sie neu.`,
  filter: "Einstellungen filtern",
  onlySet: "Nur gesetzte",
  noSetting: "Keine Einstellung passt",
  setting: "Einstellung",
  value: "Wert",
  source: common.source,
  sources: {
    environment: "Umgebung",
    file: common.file,
    tunables: "svc.conf",
    default: "Standard",
    option: "Befehlszeile"
  }
}
