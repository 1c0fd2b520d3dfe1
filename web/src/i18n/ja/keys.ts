import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const keys: Texts["keys"] = {
  title: "キーボードショートカット",
  places: {
    everywhere: "すべての画面",
    tasks: "タスクの一覧",
    task: "選択したタスク（なければフォーカス中または表示中のタスク）"
  },
  go: "ページへ移動",
  does: {
    palette: "パレットを開く（入力中も可）",
    help: "キーボードショートカットを表示",
    search: "フィルターへ移動（なければパレットを開く）",
    next: "次のタスク",
    previous: "前のタスク",
    open: common.openTheTask,
    select: "タスクを選択",
    retry: "再試行（確認あり）",
    cancel: "キャンセル（確認あり）"
  }
}
