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
  begins: (failed, succeeded) => `Fehlgeschlagene seit ${failed}, erfolgreiche seit ${succeeded}.`,
  noFailure: (time) => `Kein fehlgeschlagener Task seit ${time} gefunden.`,
  noSuccess: (time) => `Kein erfolgreicher Task seit ${time} gefunden, daher gibt es keinen Vergleich.`,
  nothing: "Nichts kommt bei fehlgeschlagenen Tasks deutlich häufiger vor.",
  noEarlierSuccess: (count) =>
    `Unter den letzten Tasks dieses Namens vor diesem (höchstens ${count}) war keiner erfolgreich.`,
  same: "Nichts ist anders als beim letzten Erfolg."
}
