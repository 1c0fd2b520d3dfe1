import type { Texts } from "../en.ts"

export const overview: Texts["overview"] = {
  title: "Resumen",
  window: "Periodo",
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
  durations: "Tiempo de ejecución",
  waits: "Espera hasta el primer inicio",
  waitsShort: "Espera",
  perHour: (count: string) => `${count} por hora`,
  failureRate: "Tasa de fallos",
  succeeded: "Correctas",
  failed: "Fallidas",
  inTable: "Mostrar como tabla",
  asChart: "Mostrar como gráfico",
  time: "Hora",
  p50: "p50",
  p95: "p95",
  topFailing: "Tareas con más fallos",
  topGroups: "Grupos de fallos con tareas abiertas",
  noGroups: "Ningún grupo ha fallado en este periodo",
  queues: "Colas",
  depth: "En espera",
  noFailing: "Ninguna tarea ha fallado en este periodo",
  noQueues: "Ningún agente ha notificado aún una cola",
  name: "Nombre",
  workersOnline: "Workers en línea",
  agentsOnline: "Agentes en línea",
  ofTotal: (part: string, total: string) => `${part} de ${total}`
}
