import type { Texts } from "../en.ts"

export const tasks: Texts["tasks"] = {
  title: "タスク",
  query: "タスクを絞り込む",
  queryHint: "state:failure name:mail queue:slow engine:celery worker:box-1 since:1h \"timeout\"",
  queryHelp:
    "使用できる項目: state、name、queue、engine、worker、priority、fingerprint、since、until。その他の語は、名前、ID、エラーから検索されます。",
  queryErrors: {
    term: (term: string) => `「${term}」という項目はありません。`,
    value: (term: string, value: string) => `「${value}」は${term}の値として無効です。`,
    quote: "引用符が足りません。"
  },
  columns: {
    state: "状態",
    name: "名前",
    queue: "キュー",
    worker: "ワーカー",
    received: "受信",
    runtime: "実行時間",
    retries: "再試行",
    id: "ID"
  },
  allStates: "すべての状態",
  newTasks: (count: string) => `新着${count}件`,
  showNew: "新着を表示",
  noTasks: "タスクはまだありません",
  noTasksHint: "エージェントを接続すると、最初のタスクが1秒以内にここに表示されます。",
  noMatch: "一致するタスクはありません",
  noMatchHint: "条件を減らすか、さらに過去までさかのぼってください。",
  clear: "フィルターを解除",
  loadingMore: "以前のタスクを読み込み中",
  end: "これですべてです",
  density: "行の高さ",
  densities: { compact: "コンパクト", comfortable: "ゆったり" },
  selected: (count: string) => `${count}件選択中`,
  select: (name: string) => `「${name}」を選択`,
  selectColumn: "選択",
  actionColumn: "操作",
  clearSelection: "選択を解除",
  retry: "再試行",
  cancel: "タスクをキャンセル"
}
