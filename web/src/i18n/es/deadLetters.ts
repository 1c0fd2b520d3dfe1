import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: "Dead letters",
  engine: "Motor",
  agent: "Agente",
  anyAgent: "El último agente visto",
  queue: "Cola",
  queueHint: "Todas las colas",
  readAt: (time: string) => `a las ${time}`,
  readAgain: "Volver a preguntar al agente",
  total: (count: Count) => `El motor tiene ${count.text} en total.`,
  task: "Tarea",
  error: "Error",
  attempts: "Intentos",
  failedAt: "Fallida",
  action: "Acción",
  none: "El motor no tiene dead letters",
  noneHint: "Una dead letter es una tarea fallida que su motor conserva para poder ejecutarla de nuevo.",
  noEngine: "Aún no hay agentes",
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
