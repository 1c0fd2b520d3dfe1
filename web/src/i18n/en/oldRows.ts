import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const oldRows = {
  note: (count: Count, days: Count) => `${count.text} not seen for ${days.text} days: faded, at the end of the list.`,
  noMatch: common.nothingMatches,
  clear: common.showAll,
  hide: "Hide",
  show: "Show"
}
