import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const audit: Texts["audit"] = {
  title: common.auditLog,
  tabs: "監査ログの区分",
  log: "ログ",
  exports: common.exports,
  none: "記録はまだありません",
  noneHint: "プロジェクトの変更ごとに、同じトランザクションで1件が記録されます。",
  noMatchHint: "別のアクション、ユーザー、判定、期間を選んでください。",
  outcome: "判定",
  anyOutcome: "すべての判定",
  ofTarget: (id: string) => `${id}に関する記録のみ`,
  ofAllTargets: common.showAll,
  outcomes: { allow: "許可", deny: common.refused },
  since: "期間",
  windows: { "1h": "過去1時間", "24h": "過去24時間", "7d": "過去7日間", "30d": "過去30日間", all: "全期間" },
  address: common.ipAddress,
  addressHidden: "IPアドレスを見られるのはグローバル管理者だけです。",
  row: "記録",
  result: common.result,
  metadata: "メタデータ",
  target: common.target,
  targetId: "対象のID",
  exactTime: common.time,
  chain: "ログの完全性",
  chainHint:
    "最新の記録とその署名は毎回確認されます。すべての記録を独立に検証するには、svc audit verifyを実行してください。",
  head: "最新の記録",
  headOk: "既知の鍵で署名されています",
  verification: "全記録の最後の検証",
  verificationOff: "予定されていません。サーバーの管理者が有効にできます。",
  states: { ok: "正常", degraded: "未完了", failed: "破損" },
  forwarder: common.webhook,
  forwarderOff: "オフ。サーバーの管理者が有効にできます。",
  forwarderState: (sent, failed) => `配信${sent}件、破棄${failed}件`,
  waiting: (count: Count) => `待機${count.text}件`,
  create: common.export,
  createTitle: "監査ログをエクスポート",
  createHint:
    "ファイルには、このページのフィルターに一致する記録が新しい順に入ります。バックグラウンドで書き込まれます。",
  filters: common.filters,
  noFilters: "プロジェクトのすべての記録",
  noExportsHint:
    "ログでフィルターを選んでからエクスポートしてください。ファイルは、サーバーの管理者が別の期間を設定していない限り7日間保存されます。"
}
