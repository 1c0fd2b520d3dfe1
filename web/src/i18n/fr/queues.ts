import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "Files",
  name: "File",
  engine: "Moteur",
  depth: "En attente",
  broker: "Broker",
  lastSeen: "Dernier relevé",
  none: "Pas encore de file",
  noneHint: "Un agent signale les files de son moteur."
}
