import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const differences: Texts["differences"] = {
  title: "Qué cambia cuando falla",
  againstSuccess: "Frente a la última completada",
  property: "Característica",
  hour: "Hora (UTC)",
  version: common.version,
  anyValue: "presente",
  thisTask: "Esta tarea",
  lastSuccess: "Última completada",
  compared: (failed, succeeded) => `Comparadas: ${failed} tareas fallidas y ${succeeded} completadas.`,
  begins: (failed, succeeded) => `Fallidas desde ${failed}, completadas desde ${succeeded}.`,
  noFailure: (time) => `No se encontró ninguna tarea fallida desde ${time}.`,
  noSuccess: (time) => `No se encontró ninguna tarea completada desde ${time}, así que no hay con qué comparar.`,
  nothing: "Nada es claramente más frecuente entre las tareas fallidas.",
  noEarlierSuccess: (count) =>
    `Ninguna de las últimas tareas anteriores con este nombre (como máximo ${count}) se completó.`,
  same: "No hay diferencias con la última completada."
}
