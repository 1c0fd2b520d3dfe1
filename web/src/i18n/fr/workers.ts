import type { Texts } from "../en.ts"

export const workers: Texts["workers"] = {
  title: "Workers",
  name: "Worker",
  state: "État",
  engine: "Moteur",
  host: "Hôte",
  queues: "Files",
  active: "En cours",
  processed: "Traitées",
  failed: "Échouées",
  heartbeat: "Dernier heartbeat",
  none: "Pas encore de worker",
  noneHint: "Les workers apparaissent lorsqu’un agent placé à côté d’eux les signale.",
  states: { online: "En ligne", offline: "Hors ligne", draining: "En vidange", unknown: "Inconnu" }
}
