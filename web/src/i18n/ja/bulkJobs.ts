import type { Texts } from "../en.ts"

export const bulkJobs: Texts["bulkJobs"] = {
  title: "一括処理",
  actions: { delete: "削除", cancel: "取り消し" },
  begun: { delete: "タスクを削除しています", cancel: "タスクを取り消しています" },
  ended: { delete: "削除が終わりました", cancel: "取り消しが終わりました" },
  statuses: { running: "実行中", completed: "完了", stopped: "停止済み" },
  what: "操作",
  filter: "フィルター",
  everyTask: "すべてのタスク",
  status: "状態",
  progress: "進捗",
  ofTotal: (part: string, total: string) => `${total}件中${part}件`,
  done: "処理済み",
  parts: {
    pending: (count: string) => `結果待ち：${count}`,
    failed: (count: string) => `失敗：${count}`,
    unknown: (count: string) => `結果不明：${count}`,
    skipped: (count: string) => `スキップ：${count}`
  },
  by: "実行者",
  created: "開始",
  action: "操作ボタン",
  none: "一括処理はまだありません",
  noneHint: "タスクの一覧で個別に、または一致するものをすべて選択し、削除または取り消してください。",
  stop: "停止",
  stopQuestion: "この処理を停止しますか？",
  stopHint: "残りのタスクはそのままです。発行済みのコマンドは続行します。停止した処理は再開できません。",
  cancelQuestion: "一致するタスクをすべて取り消しますか？",
  toCancel: (count: string) => `終了していないタスク：${count}件`,
  moreToCancel: (count: string) => `終了していないタスク：${count}件以上`,
  endedLeftOut: (count: string) => `終了済みのため対象外：${count}件`,
  cancelHint: "タスクごとにコマンドを発行します。ページを閉じても処理は続きます。",
  see: "一括処理を見る"
}
