import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const audit: Texts["audit"] = {
  title: common.auditLog,
  tabs: "Teile des Audit-Logs",
  log: "Log",
  exports: common.exports,
  none: "Noch keine Einträge",
  noneHint: "Jede Änderung im Projekt schreibt einen Eintrag, in derselben Transaktion.",
  noMatchHint:
    "Wählen Sie eine andere Aktion, einen anderen Benutzer, eine andere Entscheidung oder einen anderen Zeitraum.",
  outcome: "Entscheidung",
  anyOutcome: "Alle Entscheidungen",
  ofTarget: (id: string) => `Nur Einträge zu ${id}`,
  ofAllTargets: common.showAll,
  outcomes: { allow: "Erlaubt", deny: common.refused },
  since: "Zeitraum",
  windows: {
    "1h": "Letzte Stunde",
    "24h": common.last24Hours,
    "7d": "Letzte 7 Tage",
    "30d": "Letzte 30 Tage",
    all: "Gesamter Zeitraum"
  },
  address: common.ipAddress,
  addressHidden: "Nur globale Administratoren sehen IP-Adressen.",
  row: "Eintrag",
  result: common.result,
  metadata: "Metadaten",
  target: common.target,
  targetId: "ID des Ziels",
  exactTime: common.time,
  chain: "Integrität des Logs",
  chainHint:
    "Der neueste Eintrag und seine Signatur werden jedes Mal geprüft. Alle Einträge unabhängig prüft svc audit verify.",
  head: "Neuester Eintrag",
  headOk: "Mit einem bekannten Schlüssel signiert",
  verification: "Letzte Prüfung aller Einträge",
  fromEntry: "Ab dem gebrochenen Eintrag",
  verify: {
    never: "Noch nicht geprüft",
    start: "Alle Einträge prüfen",
    starting: "Beginnt …",
    progress: (checked: string, total: string) => `${checked} von ${total} Einträgen geprüft`,
    results: {
      intact: (rows: string, _seq: string) => `Unversehrt: alle ${rows} Einträge.`,
      broken: (rows: string, seq: string) => `Gebrochen bei Eintrag ${seq}, nach ${rows} unversehrten Einträgen.`,
      error: (_rows: string, _seq: string) =>
        "Sie konnte nicht abgeschlossen werden. Die Ursache steht im Log des Servers."
    },
    problems: {
      changed: "Der Eintrag wurde verändert.",
      missing: "Hier wurden ein oder mehrere Einträge entfernt.",
      inserted: "Der Eintrag stammt nicht vom Server oder folgt auf den neuesten.",
      reordered: "Der Eintrag steht an anderer Stelle.",
      cut: "Die neuesten Einträge fehlen.",
      key_unknown: "Der Schlüssel des Eintrags ist unbekannt.",
      head: "Der Vermerk des neuesten Eintrags passt nicht zum Log.",
      watermark: "Dem Anfang des Logs ist nicht zu trauen."
    },
    showEntry: "Eintrag anzeigen"
  },
  states: { ok: "Unversehrt", degraded: "Unvollständig", failed: "Beschädigt" },
  forwarder: common.webhook,
  forwarderOff: "Aus. Der Administrator des Servers kann ihn einschalten.",
  forwarderState: (sent, failed) => `${sent} zugestellt, ${failed} verworfen`,
  waiting: (count: Count) => plural(count, "# wartet", "# warten"),
  create: common.export,
  createTitle: "Audit-Log exportieren",
  createHint:
    "Die Datei enthält die Einträge, auf die die Filter dieser Seite zutreffen, neueste zuerst. Sie wird im Hintergrund geschrieben.",
  filters: common.filters,
  noFilters: "Alle Einträge des Projekts",
  noExportsHint:
    "Wählen Sie Filter im Log und exportieren Sie dann. Dateien werden 7 Tage aufbewahrt, sofern der Administrator des Servers nichts anderes eingestellt hat."
}
