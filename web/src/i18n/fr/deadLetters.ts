import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: common.deadLetters,
  engine: common.engine,
  agent: common.agent,
  anyAgent: "Le dernier agent vu",
  queue: common.queue,
  queueHint: "Toutes les files",
  readAt: common.asOf,
  readAgain: "Redemander à l’agent",
  total: (count: Count) => `Le moteur en a ${count.text} au total.`,
  task: common.task,
  error: common.error,
  attempts: common.attempts,
  failedAt: common.failedTask,
  action: common.action,
  none: "Le moteur n’a aucune dead letter",
  noneHint: "Une dead letter est une tâche en échec que son moteur conserve afin de pouvoir l’exécuter à nouveau.",
  noEngine: common.noAgentsYet,
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
