import type { Texts } from "../en.ts"

export const workers: Texts["workers"] = {
  title: "Workers",
  name: "Worker",
  state: "Estado",
  engine: "Motor",
  host: "Host",
  queues: "Colas",
  active: "En ejecución",
  processed: "Procesadas",
  failed: "Fallidas",
  heartbeat: "Último heartbeat",
  none: "Aún no hay workers",
  noneHint: "Los workers aparecen cuando un agente situado junto a ellos los notifica.",
  states: { online: "En línea", offline: "Sin conexión", draining: "Drenando", unknown: "Desconocido" }
}
