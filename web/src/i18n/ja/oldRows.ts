import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: Count, days: Count) =>
    `${days.text}日間確認されていない${count.text}件を、一覧の末尾に薄く表示しています。`,
  noMatch: common.nothingMatches,
  clear: common.showAll,
  hide: "非表示にする",
  show: "表示する"
}
