import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: common.deadLetters,
  engine: common.engine,
  agent: common.agent,
  anyAgent: "Der zuletzt gesehene Agent",
  queue: common.queue,
  queueHint: "Alle Queues",
  readAt: common.asOf,
  readAgain: "Agenten erneut fragen",
  total: (count: Count) => `Die Engine hat insgesamt ${count.text}.`,
  task: common.task,
  error: common.error,
  attempts: common.attempts,
  failedAt: common.failedTask,
  action: common.action,
  none: "Die Engine hat keine Dead Letters",
  noneHint: "Ein Dead Letter ist ein fehlgeschlagener Task, den seine Engine aufbewahrt, damit er erneut laufen kann.",
  noEngine: common.noAgentsYet,
  noEngineHint: "Der Agent einer Engine listet ihre Dead Letters auf. Verbinden Sie zuerst einen Agenten.",
  noneCanList: "Kein Agent kann Dead Letters auflisten",
  cannotList: (engine: string) => `Die Agenten von ${engine} können keine Dead Letters auflisten`,
  cannotListHint:
    "Agenten von RQ, Dramatiq, BullMQ und Effect-Queues können es. Bei anderen Engines wiederholen Sie fehlgeschlagene Tasks in der Task-Liste.",
  failedTasks: "Fehlgeschlagene Tasks anzeigen",
  requeue: "Erneut einreihen",
  requeueQuestion: (name: string) => `${name} erneut einreihen?`,
  requeueHint: (queue: string) => `Die Engine stellt den Task zurück in die Queue ${queue} und führt ihn erneut aus.`,
  requeueNotice: (name: string) => `Erneut einreihen: ${name}`
}
