import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const workers: Texts["workers"] = {
  title: common.workers,
  tabs: { workers: common.workers, running: "Läuft jetzt", processes: "Agentenprozesse" },
  board: {
    title: "Was jetzt läuft, nach Worker",
    elapsed: "Bisher",
    usual: "Üblich, bis",
    longer: "länger als üblich",
    stale: "Worker ist nicht online",
    unknownWorker: "Worker nicht gemeldet",
    busy: (busy: string) => `${busy} laufend`,
    slots: (busy: string, slots: string) => `${busy} von ${slots} Slots belegt`,
    none: "Keine Worker, und nichts läuft",
    noneHint: "Laufende Tasks erscheinen hier, sobald ein Agent sie meldet.",
    more: (count: Count) =>
      plural(
        count,
        "# weiterer Task läuft. Gezeigt werden die zuerst empfangenen.",
        "# weitere Tasks laufen. Gezeigt werden die zuerst empfangenen."
      )
  },
  filter: "Worker suchen",
  filterProcesses: "Prozess suchen",
  name: common.worker,
  process: "Prozess",
  agent: common.agent,
  state: common.status,
  engine: common.engine,
  host: common.host,
  pid: "Prozess-ID",
  role: "Rolle",
  framework: common.framework,
  started: "Gestartet",
  lastSeen: common.lastSeen,
  actions: common.actions,
  queue: common.queue,
  queues: common.queues,
  concurrency: "Pool",
  load: "Last, 1 5 15 min",
  active: "Laufend",
  processed: "Verarbeitet",
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  retried: "Wiederholt",
  heartbeat: "Letzter Heartbeat",
  facts: common.details,
  report: "Bericht der Engine",
  running: "Laufende Tasks",
  allTasks: "Alle Tasks dieses Workers",
  reading: common.loading,
  idle: "Untätig",
  findings: "Riskante Einstellungen",
  noFinding: "Die Einstellungen bergen kein bekanntes Risiko.",
  notEvaluated: "Die Engine meldet keine Einstellungen.",
  severities: { error: common.error, warning: common.warning, info: "Hinweis" },
  none: "Noch keine Worker",
  noneHint: "Worker erscheinen, sobald ein Agent sie meldet.",
  noProcess: "Noch keine Prozesse",
  noProcessHint: "Ein Prozess erscheint, sobald er sich mit dem Token eines Agenten verbindet.",
  others: (count: string, group: string) => `${count} ${group}, nicht online`,
  states: {
    online: "Online",
    offline: "Offline",
    gone: "Verschwunden",
    draining: "Wird geleert",
    unknown: "Unbekannt",
    failed: common.failed
  },
  do: {
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Queue hinzufügen",
    cancel_consumer: "Queue entfernen",
    rate_limit: common.setRateLimit,
    restart_worker: "Neu starten"
  },
  question: {
    pool_grow: (name: string) => `Slots zu ${name} hinzufügen?`,
    pool_shrink: (name: string) => `Slots von ${name} entfernen?`,
    add_consumer: (name: string) => `${name} eine weitere Queue lesen lassen?`,
    cancel_consumer: (name: string) => `${name} eine Queue nicht mehr lesen lassen?`,
    rate_limit: (name: string) => `Ratenlimit auf ${name} setzen?`,
    restart_worker: (name: string) => `${name} neu starten?`
  },
  hint: {
    pool_grow: "Der Worker führt bis zu seinem Neustart mehr Tasks gleichzeitig aus.",
    pool_shrink: "Laufende Tasks enden zuerst. Mindestens ein Slot bleibt.",
    add_consumer: "Zusätzlich zu den eigenen Queues, bis zum Neustart des Workers.",
    cancel_consumer: "Wartende Nachrichten bleiben in der Queue. Die anderen Queues werden weiter gelesen.",
    rate_limit: "Die Grenze gilt auf diesem Worker bis zu seinem Neustart.",
    restart_worker: "Laufende Tasks enden zuerst, soweit die Engine das vorsieht."
  },
  runningNow: (count: Count) => plural(count, "# Task läuft.", "# Tasks laufen."),
  count: "Slots",
  taskName: common.taskName,
  rate: "Ratenlimit",
  rateHint: "Zum Beispiel 10/m: eine Zahl mit /s, /m oder /h. 0 hebt die Grenze auf.",
  restart: "Neu starten",
  restartQuestion: (name: string) => `Prozess ${name} neu starten?`,
  restartNotice: (name: string) => `Neu starten: ${name}`,
  restartProcessHint:
    "Der Prozess endet, und sein Supervisor muss ihn wieder starten. Ohne Supervisor bleibt er beendet."
}
