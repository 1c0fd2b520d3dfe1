import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Handlungsbedarf",
  calm: "Kein Handlungsbedarf",
  severities: { critical: "Kritisch", warning: "Warnung" },
  lastSeen: (name: string, time: string) => `${name}: zuletzt gesehen ${time}`,
  neverConnected: (name: string) => `${name}: war noch nie verbunden`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
