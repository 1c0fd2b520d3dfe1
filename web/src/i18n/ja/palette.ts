import type { Texts } from "../en.ts"

export const palette: Texts["palette"] = {
  label: "移動または実行",
  failed: "パレットを読み込めませんでした",
  failedHint: "ページを再読み込みしてください。開いた後に svc が更新された可能性があります。",
  placeholder: "ページ、名前、またはタスクIDの一部",
  searching: "タスクを検索中",
  nothing: "一致するものがありません。タスクは4文字以上で検索します。",
  found: (count: string) => `${count}件`,
  copyId: "タスクのIDをコピー",
  copyIds: "選択したタスクのIDをコピー",
  copyLink: "タスクへのリンクをコピー",
  groups: {
    actions: "選択中または表示中",
    pages: "ページ",
    tasks: "タスク",
    projects: "プロジェクト",
    schedules: "スケジュール",
    queues: "キュー",
    workers: "ワーカー",
    agents: "エージェント"
  }
}
