import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: "一括処理",
  actions: { delete: "削除", cancel: "キャンセル" },
  begun: { delete: "タスクを削除しています", cancel: "タスクをキャンセルしています" },
  ended: { delete: "削除が終わりました", cancel: "キャンセルが終わりました" },
  statuses: { running: "実行中", completed: "完了", stopped: "停止済み" },
  what: "種類",
  filter: "フィルター",
  everyTask: "すべてのタスク",
  status: "状態",
  progress: "進捗",
  ofTotal: (part: string, total: string) => `${total}件中${part}件`,
  done: "処理済み",
  parts: {
    pending: (count: Count) => `結果待ち${count.text}件`,
    failed: (count: Count) => `失敗${count.text}件`,
    unknown: (count: Count) => `結果不明${count.text}件`,
    skipped: (count: Count) => `スキップ${count.text}件`
  },
  by: "実行者",
  created: "開始",
  action: "操作",
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
