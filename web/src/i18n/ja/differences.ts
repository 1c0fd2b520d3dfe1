import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const differences: Texts["differences"] = {
  title: "失敗時に異なる点",
  againstSuccess: "最後の成功との比較",
  property: "項目",
  hour: "時間帯（UTC）",
  version: common.version,
  anyValue: "あり",
  thisTask: "このタスク",
  lastSuccess: "最後の成功",
  compared: (failed, succeeded) => `比較対象：失敗したタスク${failed}、成功したタスク${succeeded}。`,
  noFailure: "この期間に失敗したタスクはありません。",
  noSuccess: "この期間に成功したタスクがないため、比較できません。",
  nothing: "失敗したタスクで明らかに多いものはありません。",
  noEarlierSuccess: "この名前で以前に成功したタスクはありません。",
  same: "最後の成功との違いはありません。"
}
