import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Points d’attention",
  calm: "Aucun point d’attention",
  severities: { critical: "Critique", warning: "Alerte" },
  lastSeen: (name: string, time: string) => `${name}\u00a0: vu pour la dernière fois ${time}`,
  neverConnected: (name: string) => `${name}\u00a0: ne s’est jamais connecté`,
  refused: (name: string, reason: string) => `${name}\u00a0: ${reason}`
}
