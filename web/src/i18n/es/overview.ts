import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const overview: Texts["overview"] = {
  title: common.overview,
  window: "Periodo",
  overTime: "Tareas a lo largo del tiempo",
  windows: {
    "1h": "1 hora",
    "6h": "6 horas",
    "24h": "24 horas",
    "72h": "3 días",
    "7d": "7 días",
    "30d": "30 días",
    "90d": "90 días"
  },
  throughput: "Tareas terminadas",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: common.queueTime,
  perHour: (count: string) => `${count} por hora`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "Mostrar como tabla",
  asChart: "Mostrar como gráfico",
  time: common.time,
  keysOfChart: "Las flechas izquierda y derecha muestran los valores de cada momento.",
  noData: "Sin datos en este periodo",
  unfinished: "en curso",
  p50: "p50",
  p95: "p95",
  topFailing: "Tareas con más fallos",
  topGroups: "Grupos de fallos con tareas abiertas",
  noGroups: "Ningún grupo ha fallado en este periodo",
  queues: common.queues,
  depth: common.depth,
  noFailing: "Ninguna tarea ha fallado en este periodo",
  noQueues: "Ningún agente ha notificado aún una cola",
  name: common.name,
  workersOnline: "Workers en línea",
  agentsOnline: "Agentes en línea",
  ofTotal: common.ofTotal
}
