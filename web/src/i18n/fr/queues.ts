import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues: Texts["queues"] = {
  title: common.queues,
  filter: "Chercher une file",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  oldest: "La plus ancienne attend depuis",
  received: "Reçues, 1 h",
  ended: "Terminées, 1 h",
  consumers: "Consommateurs",
  noConsumer: "Aucun consommateur",
  broker: "Broker",
  lastSeen: "Dernier relevé",
  actions: common.actions,
  none: "Pas encore de file",
  noneHint: "Les agents signalent les files de leur moteur.",
  purge: "Vider",
  purgeLabel: (name: string) => `Vider ${name}`,
  purgeQuestion: (name: string) => `Vider la file ${name}\u00a0?`,
  purgeNotice: (name: string) => `Vider\u00a0: ${name}`,
  purgeDepth: (count: Count) =>
    plural(
      count,
      "# message attend. Il sera supprimé, sans retour possible.",
      "# messages attendent. Tous seront supprimés, sans retour possible."
    ),
  purgeUnknown: "L’agent n’indique pas combien de messages attendent. Tous seront supprimés, sans retour possible.",
  purgeAgent: common.agent,
  purgeAgentHint: "Ce moteur a plusieurs agents. Chacun vide la file de ce nom sur son propre broker.",
  chooseAgent: "Choisir l’agent",
  purgeHint: (agent: string) => `L’agent ${agent} recompte les messages et refuse si leur nombre a changé.`,
  purgeForce: "Vider quel que soit le nombre",
  purgeForceHint: "Également nécessaire au-delà de la limite de l’agent, 1\u202f000 par défaut."
}
