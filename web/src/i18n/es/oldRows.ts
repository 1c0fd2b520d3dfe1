import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: Count, days: Count) =>
    plural(
      count,
      `# sin señales desde hace ${days.text} días: atenuada, al final de la lista.`,
      `# sin señales desde hace ${days.text} días: atenuadas, al final de la lista.`
    ),
  noMatch: common.nothingMatches,
  clear: common.showAll,
  hide: "Ocultar",
  show: "Mostrar"
}
