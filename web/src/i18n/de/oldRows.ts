import type { Texts } from "../en.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: string, days: string) => `Seit ${days} Tagen nicht gesehen: ${count} (blass, am Ende der Liste).`,
  hide: "Ausblenden",
  show: "Einblenden"
}
