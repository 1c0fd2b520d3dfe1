import type { Texts } from "../en.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: string, days: string) =>
    `Sin señales desde hace ${days} días: ${count} (atenuados, al final de la lista).`,
  hide: "Ocultar",
  show: "Mostrar"
}
