import type { Count } from "../plural.ts"

export const oldRows = {
  note: (count: Count, days: Count) => `${count.text} not seen for ${days.text} days: faded, at the end of the list.`,
  hide: "Hide",
  show: "Show"
}
