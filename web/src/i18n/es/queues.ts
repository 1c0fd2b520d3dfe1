import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Colas",
  name: "Cola",
  engine: "Motor",
  depth: "En espera",
  broker: "Broker",
  lastSeen: "Último informe",
  none: "Aún no hay colas",
  noneHint: "Un agente notifica las colas de su motor."
}
