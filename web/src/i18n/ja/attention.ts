import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "要対応",
  calm: "対応が必要な項目はありません",
  severities: { critical: "重大", warning: "警告" },
  lastSeen: (name: string, time: string) => `${name}: 最終確認 ${time}`,
  neverConnected: (name: string) => `${name}: 接続されたことがありません`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
