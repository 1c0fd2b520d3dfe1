import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const queues: Texts["queues"] = {
  title: common.queues,
  filter: "キューを検索",
  name: common.queue,
  engine: common.engine,
  depth: common.depth,
  oldest: "最も古いタスクの待機開始",
  received: "受信（1時間）",
  ended: "終了（1時間）",
  consumers: "コンシューマー",
  noConsumer: "コンシューマーなし",
  broker: "ブローカー",
  lastSeen: "最終報告",
  actions: common.actions,
  none: "キューはまだありません",
  noneHint: "エージェントが、対応するエンジンのキューを報告します。",
  purge: "消去",
  purgeLabel: (name: string) => `${name}を消去`,
  purgeQuestion: (name: string) => `キュー「${name}」を消去しますか？`,
  purgeNotice: (name: string) => `消去：${name}`,
  purgeDepth: (count: Count) => `${count.text}件のメッセージが待機しています。すべて削除され、元に戻せません。`,
  purgeUnknown: "エージェントは待機中のメッセージ数を報告しません。すべて削除され、元に戻せません。",
  purgeAgent: common.agent,
  purgeAgentHint: "このエンジンには複数のエージェントがあり、それぞれが自分のブローカー上の同名のキューを消去します。",
  chooseAgent: "エージェントを選択",
  purgeHint: (agent: string) => `エージェント「${agent}」がメッセージを数え直し、件数が変わっていれば拒否します。`,
  purgeForce: "件数にかかわらず消去する",
  purgeForceHint: "エージェントの上限（既定では1,000件）を超える場合にも必要です。"
}
