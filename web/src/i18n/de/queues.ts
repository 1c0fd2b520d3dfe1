import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues: Texts["queues"] = {
  title: common.queues,
  filter: "Queue suchen",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  oldest: "Älteste wartet seit",
  received: "Empfangen, 1 h",
  ended: "Beendet, 1 h",
  consumers: "Consumer",
  noConsumer: "Kein Consumer",
  broker: "Broker",
  lastSeen: "Letzte Meldung",
  actions: common.actions,
  none: "Noch keine Queues",
  noneHint: "Agenten melden die Queues ihrer Engine.",
  purge: "Leeren",
  purgeLabel: (name: string) => `${name} leeren`,
  purgeQuestion: (name: string) => `Queue ${name} leeren?`,
  purgeNotice: (name: string) => `Leeren: ${name}`,
  purgeDepth: (count: Count) =>
    plural(
      count,
      "# Nachricht wartet. Sie wird gelöscht; das lässt sich nicht rückgängig machen.",
      "# Nachrichten warten. Alle werden gelöscht; das lässt sich nicht rückgängig machen."
    ),
  purgeUnknown:
    "Der Agent meldet nicht, wie viele Nachrichten warten. Alle werden gelöscht; das lässt sich nicht rückgängig machen.",
  purgeAgent: common.agent,
  purgeAgentHint: "Diese Engine hat mehrere Agenten. Jeder leert die Queue dieses Namens auf seinem eigenen Broker.",
  chooseAgent: "Agent wählen",
  purgeHint: (agent: string) =>
    `Der Agent ${agent} zählt die Nachrichten erneut und lehnt ab, wenn sich ihre Zahl geändert hat.`,
  purgeForce: "Unabhängig von der Anzahl leeren",
  purgeForceHint: "Auch nötig oberhalb der Grenze des Agenten, standardmäßig 1.000."
}
