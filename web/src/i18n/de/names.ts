import type { Texts } from "../en.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const names: Texts["names"] = {
  queues: common.queues,
  schedules: "Zeitpläne, die ihn auslösen",
  noSchedule: "Kein Zeitplan löst diesen Task aus.",
  groups: "Fehlergruppen",
  runs: "Die letzten 50 Läufe",
  noRun: "Kein Lauf ist gespeichert.",
  workers: "Worker der letzten 50 Läufe",
  runTimes: "Verteilung der Laufzeiten",
  queueTimes: "Verteilung der Wartezeiten in der Queue",
  tasksOfRange: (count, from, to) =>
    plural(
      count,
      `# Task dauerte ${from} bis ${to}`,
      `# Tasks dauerten ${from} bis ${to}`
    ),
  keysOfDistribution:
    "Die Pfeiltasten gehen von Balken zu Balken, die Umschalttaste erweitert die Auswahl, und die Eingabetaste öffnet ihre Tasks."
}
