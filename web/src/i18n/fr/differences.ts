import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const differences: Texts["differences"] = {
  title: "Ce qui change en cas d’échec",
  againstSuccess: "Par rapport à la dernière réussite",
  property: "Caractéristique",
  hour: "Heure (UTC)",
  version: common.version,
  anyValue: "présent",
  thisTask: "Cette tâche",
  lastSuccess: "Dernière réussite",
  compared: (failed, succeeded) => `Tâches comparées\u00a0: ${failed} en échec et ${succeeded} réussies.`,
  begins: (failed, succeeded) => `En échec depuis ${failed}, réussies depuis ${succeeded}.`,
  noFailure: (time) => `Aucune tâche en échec trouvée depuis ${time}.`,
  noSuccess: (time) => `Aucune tâche réussie trouvée depuis ${time}, il n’y a donc rien à comparer.`,
  nothing: "Rien n’est nettement plus fréquent parmi les tâches en échec.",
  noEarlierSuccess: (count) => `Aucune des dernières tâches de ce nom avant celle-ci (${count} au plus) n’a réussi.`,
  same: "Aucune différence avec la dernière réussite."
}
