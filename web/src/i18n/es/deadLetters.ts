import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: common.deadLetters,
  engine: common.engine,
  agent: common.agent,
  anyAgent: "El último agente visto",
  queue: common.queue,
  queueHint: "Todas las colas",
  readAt: common.asOf,
  readAgain: "Volver a preguntar al agente",
  total: (count: Count) => `El motor tiene ${count.text} en total.`,
  task: common.task,
  error: common.error,
  attempts: common.attempts,
  failedAt: common.failedTask,
  action: common.action,
  none: "El motor no tiene dead letters",
  noneHint: "Una dead letter es una tarea fallida que su motor conserva para poder ejecutarla de nuevo.",
  noEngine: common.noAgentsYet,
  noEngineHint: "El agente de un motor enumera sus dead letters. Conecte un agente primero.",
  noneCanList: "Ningún agente puede enumerar dead letters",
  cannotList: (engine: string) => `Los agentes de ${engine} no pueden enumerar dead letters`,
  cannotListHint:
    "Los agentes de RQ, Dramatiq, BullMQ y de colas Effect pueden. Con los demás motores, reintente las tareas fallidas desde la lista de tareas.",
  failedTasks: "Mostrar las tareas fallidas",
  requeue: "Volver a encolar",
  requeueQuestion: (name: string) => `¿Volver a encolar ${name}?`,
  requeueHint: (queue: string) => `El motor devuelve la tarea a la cola ${queue} y la ejecuta de nuevo.`,
  requeueNotice: (name: string) => `Volver a encolar: ${name}`
}
