import type { Texts } from "../en.ts"

export const oldRows: Texts["oldRows"] = {
  note: (count: string, days: string) => `${days}日間確認されていないもの：${count}件（一覧の末尾に薄く表示）。`,
  hide: "非表示にする",
  show: "表示する"
}
