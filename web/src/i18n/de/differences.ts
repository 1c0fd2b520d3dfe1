import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const differences: Texts["differences"] = {
  title: "Was bei Fehlern anders ist",
  againstSuccess: "Verglichen mit dem letzten Erfolg",
  property: "Merkmal",
  hour: "Stunde (UTC)",
  version: common.version,
  anyValue: "vorhanden",
  thisTask: "Dieser Task",
  lastSuccess: "Letzter Erfolg",
  compared: (failed, succeeded) => `Verglichen: ${failed} fehlgeschlagene und ${succeeded} erfolgreiche Tasks.`,
  noFailure: "In dieser Zeit ist kein Task fehlgeschlagen.",
  noSuccess: "In dieser Zeit war kein Task erfolgreich, daher gibt es keinen Vergleich.",
  nothing: "Nichts kommt bei fehlgeschlagenen Tasks deutlich häufiger vor.",
  noEarlierSuccess: "Kein früherer Task dieses Namens war erfolgreich.",
  same: "Nichts ist anders als beim letzten Erfolg."
}
