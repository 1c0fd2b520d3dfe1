import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: "Dead letters",
  engine: "Moteur",
  agent: "Agent",
  anyAgent: "Le dernier agent vu",
  queue: "File",
  queueHint: "Toutes les files",
  readAt: (time: string) => `à ${time}`,
  readAgain: "Redemander à l’agent",
  total: (count: Count) => `Le moteur en a ${count.text} au total.`,
  task: "Tâche",
  error: "Erreur",
  attempts: "Tentatives",
  failedAt: "En échec",
  action: "Action",
  none: "Le moteur n’a aucune dead letter",
  noneHint: "Une dead letter est une tâche en échec que son moteur conserve afin de pouvoir l’exécuter à nouveau.",
  noEngine: "Pas encore d’agent",
  noEngineHint: "L’agent d’un moteur liste ses dead letters. Connectez d’abord un agent.",
  noneCanList: "Aucun agent ne peut lister de dead letters",
  cannotList: (engine: string) => `Les agents de ${engine} ne peuvent pas lister de dead letters`,
  cannotListHint:
    "Les agents de RQ, Dramatiq, BullMQ et des files Effect le peuvent. Pour les autres moteurs, relancez les tâches en échec depuis la liste des tâches.",
  failedTasks: "Afficher les tâches en échec",
  requeue: "Remettre en file",
  requeueQuestion: (name: string) => `Remettre ${name} en file\u00a0?`,
  requeueHint: (queue: string) => `Le moteur replace la tâche dans la file ${queue} et l’exécute à nouveau.`,
  requeueNotice: (name: string) => `Remise en file\u00a0: ${name}`
}
