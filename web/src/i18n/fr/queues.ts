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
  unreported: (count: Count) =>
    plural(
      count,
      "# message dans le broker\u00a0; aucun agent ne l’a signalé comme tâche",
      "# messages dans le broker\u00a0; aucun agent ne les a signalés comme tâches"
    ),
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
  purgeForceHint: "Également nécessaire au-delà de la limite de l’agent, 1\u202f000 par défaut.",
  tasks: "Tâches",
  oldestAge: "La plus ancienne attend depuis",
  arrived: "Reçues",
  inAndOut: "Entrées et sorties",
  pause: "Suspendre",
  resume: "Reprendre",
  target: "Objectif",
  setTarget: "Fixer l’objectif",
  pauseQuestion: (name: string) => `Suspendre la file ${name}\u00a0?`,
  pauseNotice: (name: string) => `Suspendre\u00a0: ${name}`,
  resumeNotice: (name: string) => `Reprendre la file ${name}`,
  pauseHint: "Aucun worker ne prend ses tâches jusqu’à la reprise. Les tâches en cours continuent.",
  pauseReason: "Raison",
  pauseReasonHint: "Les membres du projet la voient.",
  pauseFor: "Reprendre après (vide\u00a0: jamais d’elle-même)",
  pauseForHint: "30 min",
  pauseAgentHint: "Ce moteur a plusieurs agents. Chacun suspend la file de ce nom sur son propre broker.",
  cannotPause: (engine: string) =>
    `Aucun agent ne peut suspendre les files de ${engine}. Arrêtez plutôt les workers ou leurs consommateurs.`,
  pauseStatuses: { pausing: "Suspension en cours", paused: "Suspendue", resuming: "Reprise en cours" },
  pausedInEngine: "suspendue dans le moteur",
  resumes: "reprise",
  targetQuestion: (name: string) => `Quand les tâches de ${name} doivent-elles démarrer\u00a0?`,
  targetHint:
    "Une file dont la plus ancienne tâche attend plus longtemps demande votre attention. Vide\u00a0: sans objectif.",
  startWithin: "Démarrer en moins de",
  noTarget: "sans objectif",
  targetOf: (duration: string) => `objectif ${duration}`,
  overTarget: (duration: string) => `Attend plus longtemps que l’objectif de ${duration}`,
  forecastUnknown: "trop peu de données pour prévoir",
  forecastEmpty: "rien n’attend",
  forecastEmptying: (duration: string, rate: string) => `vide dans ${duration} (${rate}/min)`,
  forecastGrowing: (rate: string) => `${rate}/min, jamais vide à ce rythme`,
  forecastSteady: (rate: string) => `stable (${rate}/min)`,
  forecastTurned: (rate: string) => `la tendance vient de s’inverser (${rate}/min)`,
  needed: (duration: string) => `Workers pour démarrer en moins de ${duration}`,
  neededWorkers: (count: Count, slots: Count) =>
    `${plural(count, "# worker", "# workers")} avec ${plural(slots, "# slot", "# slots")} en tout`,
  neededSlots: (count: Count) => plural(count, "# slot", "# slots"),
  tooFewTasks: "Moins de 20 tâches dans la dernière heure\u00a0: trop peu pour dire combien de workers il faut.",
  workersNow: (count: Count) => plural(count, "# worker la consomme maintenant", "# workers la consomment maintenant"),
  slotsNow: (count: Count, slots: Count) =>
    `Maintenant ${plural(count, "# worker", "# workers")} avec ${plural(slots, "# slot", "# slots")}`,
  assumptions: (rate: string, runtime: string, busy: string) =>
    `Pour 95\u00a0% des tâches, si elles arrivent indépendamment, ${rate} par minute, et durent ${runtime} comme dans la dernière heure\u00a0: elles occupent ${busy} slots (loi de Little), et Erlang C donne les slots pour l’attente. Les workers ne servent que cette file.`
}
