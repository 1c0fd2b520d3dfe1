import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Queues",
  name: "Queue",
  engine: "Engine",
  depth: "Wartend",
  broker: "Broker",
  lastSeen: "Letzte Meldung",
  none: "Noch keine Queues",
  noneHint: "Ein Agent meldet die Queues seiner Engine."
}
