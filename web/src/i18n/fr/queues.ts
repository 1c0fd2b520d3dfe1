import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Files",
  name: "File",
  engine: "Moteur",
  depth: "En attente",
  oldest: "La plus ancienne attend depuis",
  received: "Reçues, 1 h",
  ended: "Terminées, 1 h",
  consumers: "Consommateurs",
  noConsumer: "Aucun worker ne la consomme",
  broker: "Broker",
  lastSeen: "Dernier relevé",
  actions: "Actions",
  none: "Pas encore de file",
  noneHint: "Un agent signale les files de son moteur.",
  purge: "Vider",
  purgeLabel: (name: string) => `Vider ${name}`,
  purgeQuestion: (name: string) => `Vider la file ${name}\u00a0?`,
  purgeNotice: (name: string) => `Vider\u00a0: ${name}`,
  purgeDepth: (depth: string) => `${depth} messages attendent. Tous seront supprimés, sans retour possible.`,
  purgeUnknown:
    "L’agent n’indique pas combien de messages attendent. Tous seront supprimés, quel que soit leur nombre, sans retour possible.",
  purgeAgent: "Agent",
  purgeAgentHint: "Plusieurs agents servent ce moteur, et chacun vide la file de ce nom sur son propre broker.",
  chooseAgent: "Choisir l’agent",
  purgeHint: (agent: string) => `L’agent ${agent} recompte les messages et refuse si leur nombre a changé.`,
  purgeForce: "Vider quel que soit le nombre",
  purgeForceHint: "Également nécessaire au-delà de la limite de l’agent, qui est de 1000 sauf autre réglage."
}
