export const attention = {
  title: "Needs attention",
  calm: "Nothing needs attention",
  severities: { critical: "Critical", warning: "Warning" },
  lastSeen: (name: string, time: string) => `${name}: last seen ${time}`,
  neverConnected: (name: string) => `${name}: has never connected`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
