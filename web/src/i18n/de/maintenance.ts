import type { Texts } from "../en.ts"

export const maintenance: Texts["maintenance"] = {
  title: "Wartungsfenster",
  create: "Neues Wartungsfenster",
  edit: (name: string) => `${name} ändern`,
  hint:
    "Während eines Wartungsfensters werden Alarme aufgezeichnet, aber keine Nachrichten gesendet. Alarme, die am Ende noch offen sind, werden dann gesendet.",
  name: "Name",
  state: "Status",
  states: { planned: "Geplant", lasts: "Aktiv", ended: "Beendet" },
  startsAt: "Beginn",
  endsAt: "Ende",
  endHint: "Höchstens 30 Tage nach dem Beginn.",
  lasts: "Dauer",
  actions: "Aktionen",
  actionOn: (action: string, name: string) => `${action}: ${name}`,
  none: "Keine Wartungsfenster",
  noneHint: "Ein Administrator plant eines vor Arbeiten, die Alarme auslösen werden.",
  deleteTitle: (name: string) => `${name} löschen`,
  deleteHints: {
    planned: "Nachrichten werden dann wie gewohnt gesendet.",
    lasts: "Es endet sofort, und offene Alarme werden gesendet.",
    ended: "Es wird aus der Liste entfernt. Alarme und Zustellungen bleiben."
  }
}
