import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: Count, days: Count) => `${count.text} seit ${days.text} Tagen nicht gesehen: blass, am Ende der Liste.`,
  noMatch: common.nothingMatches,
  clear: common.showAll,
  hide: "Ausblenden",
  show: "Einblenden"
}
