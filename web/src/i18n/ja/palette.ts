import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const palette: Texts["palette"] = {
  label: "移動または実行",
  placeholder: "ページ、名前、またはタスクIDの一部",
  searching: "タスクを検索中",
  nothing: "一致するものがありません。",
  tooShort: "タスクは4文字以上で検索します。",
  noProject: "タスクを検索するには、プロジェクトを開いてください。",
  searchedBack: (time: string) => `${time}より前のタスクは検索していません。`,
  found: (count: Count) => `${count.text}件`,
  copyId: "タスクのIDをコピー",
  copyIds: "選択したタスクのIDをコピー",
  copyLink: "タスクへのリンクをコピー",
  groups: {
    actions: "選択中または表示中",
    pages: "ページ",
    tasks: common.tasks,
    names: "タスク名",
    failures: common.failures,
    projects: common.projects,
    schedules: common.schedules,
    rules: "自動化ルール",
    queues: common.queues,
    workers: common.workers,
    agents: common.agents
  }
}
