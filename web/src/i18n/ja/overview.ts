import type { Texts } from "../en.ts"

export const overview: Texts["overview"] = {
  title: "概要",
  window: "期間",
  windows: {
    "1h": "1時間",
    "6h": "6時間",
    "24h": "24時間",
    "72h": "3日間",
    "7d": "7日間",
    "30d": "30日間",
    "90d": "90日間"
  },
  throughput: "終了したタスク",
  durations: "実行時間",
  waits: "初回開始までの待ち時間",
  waitsShort: "待ち時間",
  perHour: (count: string) => `毎時${count}件`,
  failureRate: "失敗率",
  succeeded: "成功",
  failed: "失敗",
  inTable: "表で表示",
  asChart: "グラフで表示",
  time: "時刻",
  p50: "p50",
  p95: "p95",
  topFailing: "失敗の多いタスク",
  topGroups: "未解決のタスクがある失敗グループ",
  noGroups: "この期間に失敗したグループはありません",
  queues: "キュー",
  depth: "待機中",
  noFailing: "この期間に失敗したタスクはありません",
  noQueues: "キューを報告したエージェントはまだありません",
  name: "名前",
  workersOnline: "オンラインのワーカー",
  agentsOnline: "オンラインのエージェント",
  ofTotal: (part: string, total: string) => `${part} / ${total}`
}
