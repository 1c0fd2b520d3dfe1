import type { Texts } from "../en.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: "Mensajes fallidos",
  engine: "Motor",
  agent: "Agente",
  anyAgent: "El último agente visto",
  queue: "Cola",
  queueHint: "Todas las colas",
  readAt: (time: string) => `a las ${time}`,
  readAgain: "Volver a preguntar al agente",
  total: (count: string) => `El motor tiene ${count} en total.`,
  task: "Tarea",
  error: "Error",
  attempts: "Intentos",
  failedAt: "Falló",
  action: "Acción",
  none: "El motor no tiene mensajes fallidos",
  noneHint: "Un mensaje fallido es una tarea fallida que su motor conserva para poder ejecutarla de nuevo.",
  noEngine: "Aún no hay agentes",
  noEngineHint: "El agente de un motor enumera sus mensajes fallidos. Conecte uno primero.",
  noneCanList: "Ningún agente puede enumerar mensajes fallidos",
  cannotList: (engine: string) => `Los agentes de ${engine} no pueden enumerar mensajes fallidos`,
  cannotListHint:
    "Los agentes de RQ, Dramatiq, BullMQ y de colas Effect pueden. Las tareas fallidas de los demás motores se reintentan desde la lista de tareas.",
  failedTasks: "Mostrar las tareas fallidas",
  requeue: "Volver a encolar",
  requeueQuestion: (name: string) => `¿Volver a encolar ${name}?`,
  requeueHint: (queue: string) => `El motor devuelve la tarea a la cola ${queue} y la ejecuta de nuevo.`,
  requeueNotice: (name: string) => `Volver a encolar: ${name}`
}
