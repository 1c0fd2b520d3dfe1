import type { Texts } from "../en.ts"

export const audit: Texts["audit"] = {
  title: "Audit-Log",
  tabs: "Teile des Audit-Logs",
  log: "Log",
  exports: "Exporte",
  none: "Noch keine Zeile",
  noneHint: "Jede Änderung im Projekt schreibt eine Zeile, in derselben Transaktion.",
  noMatchHint: "Wählen Sie eine andere Aktion, Person, ein anderes Ergebnis oder eine andere Zeit.",
  outcome: "Entscheidung",
  anyOutcome: "Alle Entscheidungen",
  ofTarget: (id: string) => `Nur was ${id} betrifft`,
  ofAllTargets: "Alles zeigen",
  outcomes: { allow: "Erlaubt", deny: "Verweigert" },
  since: "Zeitraum",
  windows: {
    "1h": "Letzte Stunde",
    "24h": "Letzte 24 Stunden",
    "7d": "Letzte 7 Tage",
    "30d": "Letzte 30 Tage",
    all: "Gesamter Zeitraum"
  },
  address: "Quelladresse",
  addressHidden: "Adressen sehen nur globale Admins.",
  row: "Zeile",
  result: "Ergebnis",
  metadata: "Metadaten",
  target: "Ziel",
  targetId: "ID des Ziels",
  exactTime: "Zeit",
  chain: "Integrität des gesamten Logs",
  chainHint:
    "Die neueste Zeile und ihre Signatur werden jedes Mal geprüft. Nur svc audit verify liest alle Zeilen, ohne zu vertrauen.",
  head: "Neueste Zeile",
  headOk: "Mit einem bekannten Schlüssel signiert",
  verification: "Letzte Prüfung aller Zeilen",
  verificationOff: "Nicht eingeplant (SVC_AUDIT_CHAIN_VERIFY_ENABLED)",
  states: { ok: "Unversehrt", degraded: "Nicht beendet", failed: "Beschädigt" },
  forwarder: "Webhook",
  forwarderOff: "Aus (SVC_AUDIT_WEBHOOK_URL)",
  forwarderState: (sent, failed) => `${sent} zugestellt, ${failed} verworfen`,
  waiting: (count) => `${count} warten`,
  create: "Exportieren",
  createTitle: "Audit-Log exportieren",
  createHint:
    "Die Datei enthält die Zeilen, auf die die Filter dieser Seite zutreffen, neueste zuerst. Sie wird im Hintergrund geschrieben.",
  filters: "Filter",
  noFilters: "Alle Zeilen des Projekts",
  noExportsHint:
    "Wählen Sie Filter im Log und exportieren Sie dann. Eine Datei wird SVC_EXPORT_JOBS_RETENTION_DAYS Tage nach dem Ende des Exports gelöscht (Standard: 7)."
}
