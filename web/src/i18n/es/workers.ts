import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const workers: Texts["workers"] = {
  title: common.workers,
  tabs: { workers: common.workers, running: "En ejecución", processes: "Procesos de agentes" },
  board: {
    title: "Lo que se ejecuta ahora, por worker",
    elapsed: "Transcurrido",
    usual: "Habitual, hasta",
    longer: "más de lo habitual",
    stale: "el worker no está en línea",
    unknownWorker: "Worker no indicado",
    busy: (busy: string) => `${busy} en ejecución`,
    slots: (busy: string, slots: string) => `${busy} de ${slots} slots ocupados`,
    none: "No hay workers ni nada en ejecución",
    noneHint: "Las tareas en ejecución aparecen aquí en cuanto un agente las notifica.",
    more: (count: Count) =>
      plural(
        count,
        "Se ejecuta # tarea más. Se muestran las que se recibieron primero.",
        "Se ejecutan # tareas más. Se muestran las que se recibieron primero."
      )
  },
  filter: "Buscar un worker",
  filterProcesses: "Buscar un proceso",
  name: common.worker,
  process: "Proceso",
  agent: common.agent,
  state: common.status,
  engine: common.engine,
  host: common.host,
  pid: "ID del proceso",
  role: "Función",
  framework: common.framework,
  started: "Iniciado",
  lastSeen: common.lastSeen,
  actions: common.actions,
  queue: common.queue,
  queues: common.queues,
  concurrency: "Pool",
  load: "Carga, 1 5 15 min",
  active: "En ejecución",
  processed: "Procesadas",
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  retried: "Reintentadas",
  heartbeat: "Último heartbeat",
  facts: common.details,
  report: "Informe del motor",
  running: "Tareas en ejecución",
  allTasks: "Todas las tareas de este worker",
  reading: common.loading,
  idle: "Inactivo",
  findings: "Ajustes de riesgo",
  noFinding: "Sus ajustes no presentan riesgos conocidos.",
  notEvaluated: "Su motor no informa de los ajustes.",
  severities: { error: common.error, warning: common.warning, info: "Nota" },
  none: "Aún no hay workers",
  noneHint: "Los workers aparecen cuando un agente los notifica.",
  noProcess: "Aún no hay procesos",
  noProcessHint: "Un proceso aparece cuando se conecta con el token de un agente.",
  others: (count: string, group: string) => `${count} ${group} sin conexión`,
  states: {
    online: "En línea",
    offline: "Sin conexión",
    gone: "Desaparecido",
    draining: "Drenando",
    unknown: "Desconocido",
    failed: common.failed
  },
  do: {
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Añadir una cola",
    cancel_consumer: "Quitar una cola",
    rate_limit: common.setRateLimit,
    restart_worker: "Reiniciar"
  },
  question: {
    pool_grow: (name: string) => `¿Añadir slots a ${name}?`,
    pool_shrink: (name: string) => `¿Quitar slots de ${name}?`,
    add_consumer: (name: string) => `¿Hacer que ${name} consuma otra cola?`,
    cancel_consumer: (name: string) => `¿Hacer que ${name} deje de consumir una cola?`,
    rate_limit: (name: string) => `¿Fijar un límite de tasa en ${name}?`,
    restart_worker: (name: string) => `¿Reiniciar ${name}?`
  },
  hint: {
    pool_grow: "El worker ejecutará más tareas a la vez hasta que se reinicie.",
    pool_shrink: "Las tareas en ejecución terminan antes. Queda al menos un slot.",
    add_consumer: "Además de sus propias colas, hasta que se reinicie.",
    cancel_consumer: "Los mensajes en espera siguen en la cola. Sus demás colas continúan.",
    rate_limit: "El límite rige en este worker hasta que se reinicie.",
    restart_worker: "Las tareas en ejecución terminan antes, según lo haga el motor."
  },
  runningNow: (count: Count) => plural(count, "# tarea en ejecución.", "# tareas en ejecución."),
  count: "Slots",
  taskName: common.taskName,
  rate: "Límite de tasa",
  rateHint: "Por ejemplo 10/m: un número con /s, /m o /h. 0 elimina el límite.",
  restart: "Reiniciar",
  restartQuestion: (name: string) => `¿Reiniciar el proceso ${name}?`,
  restartNotice: (name: string) => `Reiniciar: ${name}`,
  restartProcessHint: "El proceso termina y su supervisor debe volver a iniciarlo. Sin supervisor, queda detenido."
}
