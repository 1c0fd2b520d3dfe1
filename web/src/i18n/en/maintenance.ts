export const maintenance = {
  title: "Maintenance windows",
  create: "New window",
  edit: (name: string) => `Change ${name}`,
  hint:
    "While a window lasts, alerts are recorded and no message is sent. Alerts that are still open at its end are sent then.",
  name: "What is done",
  state: "State",
  states: { planned: "Planned", lasts: "Lasts now", ended: "Ended" },
  startsAt: "Begins",
  endsAt: "Ends",
  endHint: "At most 30 days after the beginning.",
  lasts: "Length",
  actions: "Actions",
  actionOn: (action: string, name: string) => `${action}: ${name}`,
  none: "No maintenance window",
  noneHint: "An admin plans one before work that will cause alerts.",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteHints: {
    planned: "Messages are sent as usual then.",
    lasts: "It ends at once, and open alerts are sent.",
    ended: "It is removed from the list. Alerts and deliveries remain."
  }
}
