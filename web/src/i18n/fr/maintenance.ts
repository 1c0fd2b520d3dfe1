import type { Texts } from "../en.ts"

export const maintenance: Texts["maintenance"] = {
  title: "Fenêtres de maintenance",
  create: "Nouvelle fenêtre",
  edit: (name: string) => `Modifier ${name}`,
  hint:
    "Pendant une fenêtre, les alertes sont enregistrées et aucun message n’est envoyé. À la fin, les alertes encore ouvertes sont envoyées.",
  name: "Nom",
  state: "État",
  states: { planned: "Prévue", lasts: "Active", ended: "Terminée" },
  startsAt: "Début",
  endsAt: "Fin",
  endHint: "30 jours au plus après le début.",
  lasts: "Durée",
  actions: "Actions",
  actionOn: (action: string, name: string) => `${action}\u00a0: ${name}`,
  none: "Aucune fenêtre de maintenance",
  noneHint: "Un administrateur en prévoit une avant des travaux qui causeront des alertes.",
  deleteTitle: (name: string) => `Supprimer ${name}`,
  deleteHints: {
    planned: "Les messages seront alors envoyés comme d’habitude.",
    lasts: "Elle se termine aussitôt, et les alertes ouvertes sont envoyées.",
    ended: "Elle est retirée de la liste. Les alertes et les envois sont conservés."
  }
}
