import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const maintenance: Texts["maintenance"] = {
  title: common.maintenanceWindows,
  create: "Nouvelle fenêtre",
  edit: common.editTitle,
  hint:
    "Pendant une fenêtre, les alertes sont enregistrées et aucun message n’est envoyé. À la fin, les alertes encore ouvertes sont envoyées.",
  name: common.name,
  state: common.status,
  states: { planned: "Prévue", lasts: common.active, ended: common.ended },
  startsAt: "Début",
  endsAt: "Fin",
  endHint: "30 jours au plus après le début.",
  lasts: "Durée",
  actions: common.actions,
  actionOn: common.actionOn,
  none: "Aucune fenêtre de maintenance",
  noneHint: "Un administrateur en prévoit une avant des travaux qui causeront des alertes.",
  deleteTitle: common.deleteTitle,
  deleteHints: {
    planned: "Les messages seront alors envoyés comme d’habitude.",
    lasts: "Elle se termine aussitôt, et les alertes ouvertes sont envoyées.",
    ended: "Elle est retirée de la liste. Les alertes et les envois sont conservés."
  }
}
