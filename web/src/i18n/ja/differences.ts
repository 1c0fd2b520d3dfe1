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
  begins: (failed, succeeded) => `失敗したものは${failed}以降、成功したものは${succeeded}以降が対象です。`,
  noFailure: (time) => `${time}以降に失敗したタスクは見つかりませんでした。`,
  noSuccess: (time) => `${time}以降に成功したタスクが見つからないため、比較できません。`,
  nothing: "失敗したタスクで明らかに多いものはありません。",
  noEarlierSuccess: (count) => `この名前の直前のタスク（最大${count}件）に、成功したものはありません。`,
  same: "最後の成功との違いはありません。"
}
