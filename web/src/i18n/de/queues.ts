import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const queues: Texts["queues"] = {
  title: common.queues,
  filter: "Queue suchen",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  unreported: (count: Count) =>
    plural(
      count,
      "# Nachricht im Broker; kein Agent hat sie als Task gemeldet",
      "# Nachrichten im Broker; kein Agent hat sie als Tasks gemeldet"
    ),
  oldest: "Älteste wartet seit",
  received: "Empfangen, 1 h",
  ended: "Beendet, 1 h",
  consumers: "Consumer",
  noConsumer: "Kein Consumer",
  broker: "Broker",
  lastSeen: "Letzte Meldung",
  actions: common.actions,
  none: "Noch keine Queues",
  noneHint: "Agenten melden die Queues ihrer Engine.",
  purge: "Leeren",
  purgeLabel: (name: string) => `${name} leeren`,
  purgeQuestion: (name: string) => `Queue ${name} leeren?`,
  purgeNotice: (name: string) => `Leeren: ${name}`,
  purgeDepth: (count: Count) =>
    plural(
      count,
      "# Nachricht wartet. Sie wird gelöscht; das lässt sich nicht rückgängig machen.",
      "# Nachrichten warten. Alle werden gelöscht; das lässt sich nicht rückgängig machen."
    ),
  purgeUnknown:
    "Der Agent meldet nicht, wie viele Nachrichten warten. Alle werden gelöscht; das lässt sich nicht rückgängig machen.",
  purgeAgent: common.agent,
  purgeAgentHint: "Diese Engine hat mehrere Agenten. Jeder leert die Queue dieses Namens auf seinem eigenen Broker.",
  chooseAgent: "Agent wählen",
  purgeHint: (agent: string) =>
    `Der Agent ${agent} zählt die Nachrichten erneut und lehnt ab, wenn sich ihre Zahl geändert hat.`,
  purgeForce: "Unabhängig von der Anzahl leeren",
  purgeForceHint: "Auch nötig oberhalb der Grenze des Agenten, standardmäßig 1.000.",
  tasks: "Tasks",
  oldestAge: "Älteste wartet seit",
  arrived: "Empfangen",
  inAndOut: "Ein und aus",
  pause: "Anhalten",
  resume: "Fortsetzen",
  target: "Ziel",
  setTarget: "Ziel setzen",
  pauseQuestion: (name: string) => `Queue ${name} anhalten?`,
  pauseNotice: (name: string) => `Anhalten: ${name}`,
  resumeNotice: (name: string) => `Queue ${name} fortsetzen`,
  pauseHint: "Kein Worker nimmt ihre Tasks, bis sie fortgesetzt wird. Laufende Tasks laufen weiter.",
  pauseReason: "Grund",
  pauseReasonHint: "Mitglieder des Projekts sehen ihn.",
  pauseFor: "Fortsetzen nach (leer: nie von selbst)",
  pauseForHint: "30 min",
  pauseAgentHint: "Diese Engine hat mehrere Agenten. Jeder hält die Queue dieses Namens auf seinem eigenen Broker an.",
  cannotPause: (engine: string) =>
    `Kein Agent kann Queues von ${engine} anhalten. Stoppen Sie stattdessen die Worker oder deren Consumer.`,
  pauseStatuses: { pausing: "Wird angehalten", paused: "Angehalten", resuming: "Wird fortgesetzt" },
  pausedInEngine: "in der Engine angehalten",
  resumes: "geht weiter",
  targetQuestion: (name: string) => `Wann sollen Tasks von ${name} starten?`,
  targetHint: "Eine Queue, deren ältester Task länger wartet, braucht Aufmerksamkeit. Leer entfernt das Ziel.",
  startWithin: "Start innerhalb von",
  noTarget: "kein Ziel",
  targetOf: (duration: string) => `Ziel ${duration}`,
  overTarget: (duration: string) => `Wartet länger als das Ziel von ${duration}`,
  forecastUnknown: "zu wenig Daten für eine Prognose",
  forecastEmpty: "nichts wartet",
  forecastEmptying: (duration: string, rate: string) => `leer in ${duration} (${rate}/min)`,
  forecastGrowing: (rate: string) => `${rate}/min, so nie leer`,
  forecastSteady: (rate: string) => `gleichbleibend (${rate}/min)`,
  forecastTurned: (rate: string) => `Richtung hat gerade gewechselt (${rate}/min)`,
  needed: (duration: string) => `Worker für einen Start innerhalb von ${duration}`,
  neededWorkers: (count: Count, slots: Count) =>
    `${count.text} Worker mit zusammen ${plural(slots, "# Slot", "# Slots")}`,
  neededSlots: (count: Count) => plural(count, "# Slot", "# Slots"),
  tooFewTasks: "Weniger als 20 Tasks in der letzten Stunde: zu wenige für die Zahl der nötigen Worker.",
  workersNow: (count: Count) => `Jetzt ${count.text} Worker als Consumer`,
  slotsNow: (count: Count, slots: Count) => `Jetzt ${count.text} Worker mit ${plural(slots, "# Slot", "# Slots")}`,
  assumptions: (rate: string, runtime: string, busy: string) =>
    `Für 95\u00a0% der Tasks, wenn sie unabhängig eintreffen, ${rate} pro Minute, und wie in der letzten Stunde ${runtime} laufen: Sie belegen ${busy} Slots (Gesetz von Little), und Erlang C ergibt die Slots für das Warten. Die Worker bedienen nur diese Queue.`
}
