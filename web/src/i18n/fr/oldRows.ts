import type { Texts } from "../en.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: string, days: string) =>
    `Sans signe de vie depuis ${days} jours\u00a0: ${count} (estompés, en fin de liste).`,
  hide: "Masquer",
  show: "Afficher"
}
