import type { Texts } from "../en.ts"

export const agents: Texts["agents"] = {
  title: "Agentes",
  name: "Agente",
  state: "Estado",
  engines: "Motores",
  host: "Host",
  version: "Versión",
  lastSeen: "Última conexión",
  refused: "Último rechazo",
  advice: "Recomendaciones",
  none: "Aún no hay agentes",
  noneHint: "Cree uno con: svc agents create NAME",
  states: { online: "En línea", offline: "Sin conexión" },
  outdated: "usa un protocolo anterior"
}
