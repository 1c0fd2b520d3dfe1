import type { Texts } from "../en.ts"

export const queues: Texts["queues"] = {
  title: "キュー",
  name: "キュー",
  engine: "エンジン",
  depth: "待機中",
  broker: "ブローカー",
  lastSeen: "最終報告",
  none: "キューはまだありません",
  noneHint: "エージェントが、対応するエンジンのキューを報告します。"
}
