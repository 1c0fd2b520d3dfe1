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
    "24h": "Letzte 24 Stunden",
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
  verificationOff: "Nicht eingeplant. Der Administrator des Servers kann sie einschalten.",
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
