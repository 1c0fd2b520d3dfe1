import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Queues",
  name: "Queue",
  engine: "Engine",
  depth: "Wartend",
  oldest: "Älteste wartet seit",
  received: "Empfangen, 1 h",
  ended: "Beendet, 1 h",
  consumers: "Consumer",
  noConsumer: "Kein Worker liest sie",
  broker: "Broker",
  lastSeen: "Letzte Meldung",
  actions: "Aktionen",
  none: "Noch keine Queues",
  noneHint: "Ein Agent meldet die Queues seiner Engine.",
  purge: "Leeren",
  purgeLabel: (name: string) => `${name} leeren`,
  purgeQuestion: (name: string) => `Queue ${name} leeren?`,
  purgeNotice: (name: string) => `Leeren: ${name}`,
  purgeDepth: (depth: string) =>
    `${depth} Nachrichten warten. Alle werden gelöscht; das lässt sich nicht rückgängig machen.`,
  purgeUnknown:
    "Der Agent meldet nicht, wie viele Nachrichten warten. Alle werden gelöscht, wie viele es auch sind; das lässt sich nicht rückgängig machen.",
  purgeAgent: "Agent",
  purgeAgentHint:
    "Mehrere Agenten bedienen diese Engine, und jeder leert die Queue dieses Namens auf seinem eigenen Broker.",
  chooseAgent: "Agent wählen",
  purgeHint: (agent: string) =>
    `Der Agent ${agent} zählt die Nachrichten erneut und lehnt ab, wenn sich ihre Zahl geändert hat.`,
  purgeForce: "Unabhängig von der Anzahl leeren",
  purgeForceHint: "Auch nötig oberhalb der Grenze des Agenten, die ohne andere Einstellung 1000 beträgt."
}
