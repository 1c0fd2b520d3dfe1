import type { Texts } from "../en.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const names: Texts["names"] = {
  queues: common.queues,
  schedules: "Programaciones que la ejecutan",
  noSchedule: "Ninguna programación ejecuta esta tarea.",
  groups: "Grupos de fallos",
  runs: "Últimas 50 ejecuciones",
  noRun: "No hay ninguna ejecución guardada.",
  workers: "Workers de las últimas 50 ejecuciones",
  runTimes: "Distribución de los tiempos de ejecución",
  queueTimes: "Distribución de los tiempos en cola",
  tasksOfRange: (count, from, to) =>
    plural(
      count,
      `# tarea tardó entre ${from} y ${to}`,
      `# tareas tardaron entre ${from} y ${to}`
    ),
  keysOfDistribution: "Las flechas van de barra en barra, Mayús amplía la selección e Intro abre sus tareas."
}
