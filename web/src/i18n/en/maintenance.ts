import { common } from "./common.ts"

export const maintenance = {
  title: common.maintenanceWindows,
  create: "New window",
  edit: common.editTitle,
  hint:
    "During a window, alerts are recorded and no messages are sent. Alerts that are still open at its end are sent then.",
  name: common.name,
  state: common.status,
  states: { planned: "Planned", lasts: common.active, ended: common.ended },
  startsAt: "Starts",
  endsAt: "Ends",
  endHint: "At most 30 days after the start.",
  lasts: "Duration",
  actions: common.actions,
  actionOn: common.actionOn,
  none: "No maintenance windows",
  noneHint: "An admin plans a window before work that will cause alerts.",
  deleteTitle: common.deleteTitle,
  deleteHints: {
    planned: "Messages will be sent as usual at that time.",
    lasts: "The window ends at once, and open alerts are sent.",
    ended: "The window is removed from the list. Alerts and deliveries are kept."
  }
}
