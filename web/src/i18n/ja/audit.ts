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
  windows: { "1h": "過去1時間", "24h": common.last24Hours, "7d": "過去7日間", "30d": "過去30日間", all: "全期間" },
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
  fromEntry: "不整合の記録から",
  verify: {
    never: "まだ検証されていません",
    start: "すべての記録を検証",
    starting: "開始しています…",
    progress: (checked: string, total: string) => `${total}件中${checked}件を検証済み`,
    results: {
      intact: (rows: string, _seq: string) => `改ざんなし：全${rows}件。`,
      broken: (rows: string, seq: string) => `${rows}件は正常。記録${seq}で不整合。`,
      error: (_rows: string, _seq: string) => "完了できませんでした。原因はサーバーのログにあります。"
    },
    problems: {
      changed: "記録が変更されています。",
      missing: "ここで1件以上の記録が削除されています。",
      inserted: "サーバーが書いた記録ではないか、最新より後にあります。",
      reordered: "記録の位置が異なります。",
      cut: "最新の記録が失われています。",
      key_unknown: "記録の鍵が不明です。",
      head: "最新記録の記録がログと一致しません。",
      watermark: "ログの先頭を信頼できません。"
    },
    showEntry: "記録を表示"
  },
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
