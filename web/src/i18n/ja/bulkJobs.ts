import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: common.bulkJobs,
  actions: { delete: "削除", cancel: "キャンセル" },
  begun: { delete: "タスクを削除しています", cancel: "タスクをキャンセルしています" },
  ended: { delete: "削除が終わりました", cancel: "キャンセルが終わりました" },
  statuses: { running: common.running, completed: "完了", stopped: "停止済み" },
  what: "種類",
  filter: common.filter,
  everyTask: "すべてのタスク",
  hiddenQuery: "引数または結果に関する条件があります。あなたのロールでは表示できません。",
  status: common.status,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "処理済み",
  parts: {
    pending: (count: Count) => `結果待ち${count.text}件`,
    failed: (count: Count) => `失敗${count.text}件`,
    unknown: (count: Count) => `結果不明${count.text}件`,
    skipped: (count: Count) => `スキップ${count.text}件`
  },
  by: common.by,
  created: "開始",
  action: common.actions,
  none: "一括処理はまだありません",
  noneHint: "タスクの一覧で個別に、または一致するものをすべて選択し、削除またはキャンセルしてください。",
  stop: "停止",
  stopQuestion: "この処理を停止しますか？",
  stopHint: "残りのタスクはそのままです。発行済みのコマンドは続行します。停止した処理は再開できません。",
  cancelQuestion: "一致するタスクをすべてキャンセルしますか？",
  toCancel: (count: Count) => `終了していないタスク${count.text}件`,
  moreToCancel: (count: Count) => `終了していないタスク${count.text}件以上`,
  endedLeftOut: (count: Count) => `終了済みの${count.text}件は対象外`,
  cancelHint: "タスクごとにコマンドを発行します。ページを閉じても処理は続きます。",
  see: "一括処理を見る"
}
