import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Handlungsbedarf",
  calm: "Kein Handlungsbedarf",
  severities: { critical: "Kritisch", warning: "Warnung" },
  kinds: {
    agents_offline: (count: string) => `Agenten offline: ${count}`,
    agents_refused: (count: string) => `Agenten, von denen in den letzten 24 Stunden etwas abgelehnt wurde: ${count}`,
    failure_rate: (count: string) => `Mindestens 20 % der Tasks schlagen fehl. In den letzten 24 Stunden: ${count}`,
    queue_depth: (count: string) => `Queues mit 1.000 Tasks oder mehr: ${count}`,
    queue_growth: (count: string) => `Queues, die seit 15 Minuten nur wachsen: ${count}`,
    stuck_commands: (count: string) => `Befehle, die seit 5 Minuten ohne Ergebnis sind: ${count}`,
    schedule_misfires: (count: string) => `Ausgefallene Ticks von Zeitplänen in den letzten 24 Stunden: ${count}`,
    channels_disabled: (count: string) => `Deaktivierte Kanäle: ${count}`,
    breakers_tripped: (count: string) => `Regeln mit ausgelöstem Schutzschalter: ${count}`,
    schedules_tripped: (count: string) => `Zeitpläne, die der Schutzschalter deaktiviert hat: ${count}`
  },
  lastSeen: (name: string, time: string) => `${name}: zuletzt gesehen ${time}`,
  neverConnected: (name: string) => `${name}: war noch nie verbunden`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
