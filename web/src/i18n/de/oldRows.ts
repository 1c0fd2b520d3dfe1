import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: Count, days: Count) => `${count.text} seit ${days.text} Tagen nicht gesehen: blass, am Ende der Liste.`,
  hide: "Ausblenden",
  show: "Einblenden"
}
