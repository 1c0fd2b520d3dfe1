import type { Texts } from "../en.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: "Messages morts",
  engine: "Moteur",
  agent: "Agent",
  anyAgent: "Le dernier agent vu",
  queue: "File",
  queueHint: "Toutes les files",
  readAt: (time: string) => `à ${time}`,
  readAgain: "Redemander à l’agent",
  total: (count: string) => `Le moteur en a ${count} au total.`,
  task: "Tâche",
  error: "Erreur",
  attempts: "Tentatives",
  failedAt: "Échouée",
  action: "Action",
  none: "Le moteur n’a aucun message mort",
  noneHint: "Un message mort est une tâche échouée que son moteur conserve afin de pouvoir l’exécuter à nouveau.",
  noEngine: "Pas encore d’agent",
  noEngineHint: "L’agent d’un moteur liste ses messages morts. Connectez d’abord un agent.",
  noneCanList: "Aucun agent ne peut lister de messages morts",
  cannotList: (engine: string) => `Les agents de ${engine} ne peuvent pas lister de messages morts`,
  cannotListHint:
    "Les agents de RQ, Dramatiq, BullMQ et des files Effect le peuvent. Les tâches échouées des autres moteurs se relancent depuis la liste des tâches.",
  failedTasks: "Afficher les tâches échouées",
  requeue: "Remettre en file",
  requeueQuestion: (name: string) => `Remettre ${name} en file\u00a0?`,
  requeueHint: (queue: string) => `Le moteur replace la tâche dans la file ${queue} et l’exécute à nouveau.`,
  requeueNotice: (name: string) => `Remise en file\u00a0: ${name}`
}
