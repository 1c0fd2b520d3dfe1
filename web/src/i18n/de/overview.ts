import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const overview: Texts["overview"] = {
  title: common.overview,
  window: "Zeitraum",
  overTime: "Tasks im Verlauf",
  windows: {
    "1h": "1 Stunde",
    "6h": "6 Stunden",
    "24h": "24 Stunden",
    "72h": "3 Tage",
    "7d": "7 Tage",
    "30d": "30 Tage",
    "90d": "90 Tage"
  },
  throughput: "Abgeschlossene Tasks",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: "Wartezeit",
  perHour: (count: string) => `${count} pro Stunde`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "Als Tabelle anzeigen",
  asChart: "Als Diagramm anzeigen",
  time: common.time,
  keysOfChart: "Die Pfeiltasten links und rechts zeigen die Werte jedes Zeitpunkts.",
  openKey: "Die Eingabetaste öffnet die Tasks dieses Zeitpunkts.",
  noData: "Keine Daten in diesem Zeitraum",
  unfinished: "läuft noch",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  compare: "Mit der Vorwoche vergleichen",
  comparedWithLastWeek: "gegenüber der Vorwoche",
  weekAgo: (series) => `${series}, Vorwoche`,
  marks: {
    title: "Marken",
    hide: "In allen Diagrammen ausblenden",
    show: "In allen Diagrammen einblenden",
    kinds: {
      deploy: "Deployment",
      command: common.command,
      rule: common.rule,
      missed_run: "Verpasste Ausführung",
      maintenance: "Wartung"
    }
  },
  topFailing: "Am häufigsten fehlgeschlagen",
  topGroups: "Fehlergruppen mit offenen Tasks",
  noGroups: "In diesem Zeitraum ist keine Gruppe fehlgeschlagen",
  queues: common.queues,
  depth: common.depth,
  noFailing: "In diesem Zeitraum ist kein Task fehlgeschlagen",
  noQueues: "Noch kein Agent hat eine Queue gemeldet",
  name: common.name,
  workersOnline: "Worker online",
  agentsOnline: "Agenten online",
  ofTotal: common.ofTotal,
  dismiss: "Ausblenden",
  firstSteps: {
    title: "Erste Schritte",
    done: "Erledigt",
    steps: {
      connect: {
        name: "Agenten verbinden",
        hint: "Er meldet die Tasks Ihrer Engine. Engine wählen, Zeilen kopieren und das erste Ereignis ankommen sehen.",
        action: "Verbinden"
      },
      task: {
        name: "Einen Task sehen",
        hint: "Die Liste zeigt jeden Task, sobald ein Agent ihn gemeldet hat.",
        action: "Liste öffnen"
      },
      subscribe: {
        name: "Alarme abonnieren",
        hint: "Sie erhalten eine Nachricht, wenn Tasks zu scheitern beginnen, und eine, wenn sie wieder gelingen.",
        action: "Abonnieren"
      },
      invite: {
        name: "Kollegen einladen",
        hint: "Kollegen sehen dieselben Tasks und genehmigen, was eine zweite Person braucht.",
        action: common.invite
      },
      factor: {
        name: "Zweiten Faktor einschalten",
        hint: "Ihr Konto braucht dann neben dem Passwort einen Code von Ihrem Telefon.",
        action: "Einrichten"
      }
    }
  },
  demo: {
    label: "Diese Demo",
    intro: "Dieser Shop ist eine Demo. In einer Minute:",
    failures: "viele Tasks auf einmal wiederholen",
    alert: "sehen, was gerade nicht stimmt",
    approval: "über Maras Anfrage entscheiden",
    rule: "eine Regel an vergangenen Tasks erproben"
  },
  groupBy: "Gruppieren nach",
  groupings: { queue: "Nach Queue", name: "Nach Taskname", worker: common.byWorker },
  groupTitles: {
    queue: "Beendete Tasks nach Queue",
    name: "Beendete Tasks nach Name",
    worker: "Beendete Tasks nach Worker"
  },
  otherGroups: "Alle anderen",
  beyondWorkers: (most: string) =>
    `„Alle anderen“ enthält die Worker nach den ersten ${most} Namen der letzten 8 Tage.`,
  noQueue: "Ohne Queue"
}
