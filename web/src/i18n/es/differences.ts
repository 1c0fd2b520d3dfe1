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
  noFailure: "Ninguna tarea falló en este periodo.",
  noSuccess: "Ninguna tarea se completó en este periodo, así que no hay con qué comparar.",
  nothing: "Nada es claramente más frecuente entre las tareas fallidas.",
  noEarlierSuccess: "Ninguna tarea anterior con este nombre se completó.",
  same: "No hay diferencias con la última completada."
}
