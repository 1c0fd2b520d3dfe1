import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Requiere atención",
  calm: "Nada requiere atención",
  severities: { critical: "Crítico", warning: "Aviso" },
  lastSeen: (name: string, time: string) => `${name}: visto por última vez ${time}`,
  neverConnected: (name: string) => `${name}: nunca se ha conectado`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
