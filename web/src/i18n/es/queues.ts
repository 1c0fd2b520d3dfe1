import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Colas",
  name: "Cola",
  engine: "Motor",
  depth: "En espera",
  oldest: "La más antigua espera desde",
  received: "Recibidas, 1 h",
  ended: "Terminadas, 1 h",
  consumers: "Consumidores",
  noConsumer: "Ningún worker la consume",
  broker: "Broker",
  lastSeen: "Último informe",
  actions: "Acciones",
  none: "Aún no hay colas",
  noneHint: "Un agente notifica las colas de su motor.",
  purge: "Vaciar",
  purgeLabel: (name: string) => `Vaciar ${name}`,
  purgeQuestion: (name: string) => `¿Vaciar la cola ${name}?`,
  purgeNotice: (name: string) => `Vaciar: ${name}`,
  purgeDepth: (depth: string) => `Hay ${depth} mensajes en espera. Se eliminarán todos y no se podrá deshacer.`,
  purgeUnknown:
    "El agente no informa de cuántos mensajes esperan. Se eliminarán todos, sean cuantos sean, y no se podrá deshacer.",
  purgeAgent: "Agente",
  purgeAgentHint: "Varios agentes atienden este motor, y cada uno vacía la cola de este nombre en su propio bróker.",
  chooseAgent: "Elija el agente",
  purgeHint: (agent: string) =>
    `El agente ${agent} vuelve a contar los mensajes y rechaza la orden si su número ha cambiado.`,
  purgeForce: "Vaciar sea cual sea el número",
  purgeForceHint: "También es necesario por encima del límite del agente, que es 1000 si no se ha configurado otro."
}
