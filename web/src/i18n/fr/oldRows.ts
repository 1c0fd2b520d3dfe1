import type { Texts } from "../en.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: string, days: string) =>
    `Sans signe de vie depuis ${days} jours : ${count} (estompés, en fin de liste).`,
  hide: "Masquer",
  show: "Afficher"
}
