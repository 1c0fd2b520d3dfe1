import type { Texts } from "../en.ts"

export const workers: Texts["workers"] = {
  title: "ワーカー",
  name: "ワーカー",
  state: "状態",
  engine: "エンジン",
  host: "ホスト",
  queues: "キュー",
  active: "実行中",
  processed: "処理済み",
  failed: "失敗",
  heartbeat: "最終ハートビート",
  none: "ワーカーはまだありません",
  noneHint: "ワーカーは、同じ環境のエージェントが報告すると表示されます。",
  states: { online: "オンライン", offline: "オフライン", draining: "ドレイン中", unknown: "不明" }
}
