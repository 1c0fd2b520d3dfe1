export const maintenance = {
  title: "Maintenance windows",
  create: "New window",
  edit: (name: string) => `Edit ${name}`,
  hint:
    "During a window, alerts are recorded and no messages are sent. Alerts that are still open at its end are sent then.",
  name: "Name",
  state: "Status",
  states: { planned: "Planned", lasts: "Active", ended: "Ended" },
  startsAt: "Starts",
  endsAt: "Ends",
  endHint: "At most 30 days after the start.",
  lasts: "Duration",
  actions: "Actions",
  actionOn: (action: string, name: string) => `${action}: ${name}`,
  none: "No maintenance windows",
  noneHint: "An admin plans a window before work that will cause alerts.",
  deleteTitle: (name: string) => `Delete ${name}`,
  deleteHints: {
    planned: "Messages will be sent as usual at that time.",
    lasts: "The window ends at once, and open alerts are sent.",
    ended: "The window is removed from the list. Alerts and deliveries are kept."
  }
}
