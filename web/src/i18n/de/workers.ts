import type { Texts } from "../en.ts"

export const workers: Texts["workers"] = {
  title: "Worker",
  name: "Worker",
  state: "Status",
  engine: "Engine",
  host: "Host",
  queues: "Queues",
  active: "Laufend",
  processed: "Verarbeitet",
  failed: "Fehlgeschlagen",
  heartbeat: "Letzter Heartbeat",
  none: "Noch keine Worker",
  noneHint: "Worker erscheinen, sobald ein Agent neben ihnen sie meldet.",
  states: { online: "Online", offline: "Offline", draining: "Läuft aus", unknown: "Unbekannt" }
}
