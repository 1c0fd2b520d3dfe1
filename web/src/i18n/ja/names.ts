import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const names: Texts["names"] = {
  queues: common.queues,
  schedules: "このタスクを実行するスケジュール",
  noSchedule: "このタスクを実行するスケジュールはありません。",
  groups: "失敗グループ",
  runs: "最新の50件の実行",
  noRun: "保存された実行はありません。",
  workers: "最新の50件の実行のワーカー",
  runTimes: "実行時間の分布",
  queueTimes: "キュー待ち時間の分布",
  tasksOfRange: (count, from, to) => `${from}から${to}かかったタスク${count.text}件`,
  keysOfDistribution: "矢印キーで棒を移動し、Shiftキーで選択を広げ、Enterキーでタスクを開きます。"
}
