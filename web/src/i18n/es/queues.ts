import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues: Texts["queues"] = {
  title: common.queues,
  filter: "Buscar una cola",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  oldest: "La más antigua espera desde",
  received: "Recibidas, 1 h",
  ended: "Terminadas, 1 h",
  consumers: "Consumidores",
  noConsumer: "Sin consumidor",
  broker: "Broker",
  lastSeen: "Último informe",
  actions: common.actions,
  none: "Aún no hay colas",
  noneHint: "Los agentes notifican las colas de su motor.",
  purge: "Vaciar",
  purgeLabel: (name: string) => `Vaciar ${name}`,
  purgeQuestion: (name: string) => `¿Vaciar la cola ${name}?`,
  purgeNotice: (name: string) => `Vaciar: ${name}`,
  purgeDepth: (count: Count) =>
    plural(
      count,
      "Hay # mensaje en espera. Se eliminará y no se podrá deshacer.",
      "Hay # mensajes en espera. Se eliminarán todos y no se podrá deshacer."
    ),
  purgeUnknown: "El agente no informa de cuántos mensajes esperan. Se eliminarán todos y no se podrá deshacer.",
  purgeAgent: common.agent,
  purgeAgentHint: "Este motor tiene varios agentes. Cada uno vacía la cola de este nombre en su propio broker.",
  chooseAgent: "Elija el agente",
  purgeHint: (agent: string) =>
    `El agente ${agent} vuelve a contar los mensajes y rechaza la orden si su número ha cambiado.`,
  purgeForce: "Vaciar sea cual sea el número",
  purgeForceHint: "También es necesario por encima del límite del agente, 1000 de forma predeterminada."
}
