export const oldRows = {
  note: (count: string, days: string) => `${count} not seen for ${days} days: faded, at the end of the list.`,
  hide: "Hide",
  show: "Show"
}
