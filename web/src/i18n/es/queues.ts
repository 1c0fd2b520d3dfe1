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
  unreported: (count: Count) =>
    plural(
      count,
      "# mensaje en el broker; ningún agente lo notificó como tarea",
      "# mensajes en el broker; ningún agente los notificó como tareas"
    ),
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
  purgeForceHint: "También es necesario por encima del límite del agente, 1000 de forma predeterminada.",
  tasks: "Tareas",
  oldestAge: "La más antigua espera desde",
  arrived: "Recibidas",
  inAndOut: "Entradas y salidas",
  pause: "Pausar",
  resume: "Reanudar",
  target: "Objetivo",
  setTarget: "Fijar objetivo",
  pauseQuestion: (name: string) => `¿Pausar la cola ${name}?`,
  pauseNotice: (name: string) => `Pausar: ${name}`,
  resumeNotice: (name: string) => `Reanudar la cola ${name}`,
  pauseHint: "Ningún worker toma sus tareas hasta que se reanude. Las tareas en curso continúan.",
  pauseReason: "Motivo",
  pauseReasonHint: "Los miembros del proyecto lo ven.",
  pauseFor: "Reanudar después de (vacío: nunca por sí sola)",
  pauseForHint: "30 min",
  pauseAgentHint: "Este motor tiene varios agentes. Cada uno pausa la cola de este nombre en su propio broker.",
  cannotPause: (engine: string) =>
    `Ningún agente puede pausar colas de ${engine}. Detenga en su lugar los workers o sus consumidores.`,
  pauseStatuses: { pausing: "Pausando", paused: "En pausa", resuming: "Reanudando" },
  pausedInEngine: "pausada en el motor",
  resumes: "se reanuda",
  targetQuestion: (name: string) => `¿Cuándo deben empezar las tareas de ${name}?`,
  targetHint: "Una cola cuya tarea más antigua espera más tiempo requiere atención. Vacío elimina el objetivo.",
  startWithin: "Empezar en menos de",
  noTarget: "sin objetivo",
  targetOf: (duration: string) => `objetivo ${duration}`,
  overTarget: (duration: string) => `Espera más que el objetivo de ${duration}`,
  forecastUnknown: "muy pocos datos para prever",
  forecastEmpty: "nada espera",
  forecastEmptying: (duration: string, rate: string) => `vacía en ${duration} (${rate}/min)`,
  forecastGrowing: (rate: string) => `${rate}/min, nunca vacía a este ritmo`,
  forecastSteady: (rate: string) => `estable (${rate}/min)`,
  forecastTurned: (rate: string) => `la tendencia acaba de invertirse (${rate}/min)`,
  needed: (duration: string) => `Workers para empezar en menos de ${duration}`,
  neededWorkers: (count: Count, slots: Count) =>
    `${plural(count, "# worker", "# workers")} con ${plural(slots, "# slot", "# slots")} en total`,
  neededSlots: (count: Count) => plural(count, "# slot", "# slots"),
  tooFewTasks: "Menos de 20 tareas en la última hora: muy pocas para decir cuántos workers hacen falta.",
  workersNow: (count: Count) => plural(count, "# worker la consume ahora", "# workers la consumen ahora"),
  slotsNow: (count: Count, slots: Count) =>
    `Ahora ${plural(count, "# worker", "# workers")} con ${plural(slots, "# slot", "# slots")}`,
  assumptions: (rate: string, runtime: string, busy: string) =>
    `Para el 95\u00a0% de las tareas, si llegan de forma independiente, ${rate} por minuto, y duran ${runtime} como en la última hora: ocupan ${busy} slots (ley de Little), y Erlang C da los slots para la espera. Los workers atienden solo esta cola.`
}
