import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const maintenance: Texts["maintenance"] = {
  title: common.maintenanceWindows,
  create: "Neues Wartungsfenster",
  edit: common.editTitle,
  hint:
    "Während eines Wartungsfensters werden Alarme aufgezeichnet, aber keine Nachrichten gesendet. Alarme, die am Ende noch offen sind, werden dann gesendet.",
  name: common.name,
  state: common.status,
  states: { planned: "Geplant", lasts: common.active, ended: common.ended },
  startsAt: "Beginn",
  endsAt: "Ende",
  endHint: "Höchstens 30 Tage nach dem Beginn.",
  lasts: "Dauer",
  actions: common.actions,
  actionOn: common.actionOn,
  none: "Keine Wartungsfenster",
  noneHint: "Ein Administrator plant eines vor Arbeiten, die Alarme auslösen werden.",
  deleteTitle: common.deleteTitle,
  deleteHints: {
    planned: "Nachrichten werden dann wie gewohnt gesendet.",
    lasts: "Es endet sofort, und offene Alarme werden gesendet.",
    ended: "Es wird aus der Liste entfernt. Alarme und Zustellungen bleiben."
  }
}
