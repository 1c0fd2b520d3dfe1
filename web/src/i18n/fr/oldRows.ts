import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: Count, days: Count) =>
    plural(
      count,
      `# sans signe de vie depuis ${days.text} jours\u00a0: estompée, en fin de liste.`,
      `# sans signe de vie depuis ${days.text} jours\u00a0: estompées, en fin de liste.`
    ),
  noMatch: common.nothingMatches,
  clear: common.showAll,
  hide: "Masquer",
  show: "Afficher"
}
