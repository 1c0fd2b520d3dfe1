import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const overview: Texts["overview"] = {
  title: common.overview,
  window: "期間",
  overTime: "タスクの推移",
  windows: {
    "1h": "1時間",
    "6h": "6時間",
    "24h": "24時間",
    "72h": "3日間",
    "7d": "7日間",
    "30d": "30日間",
    "90d": "90日間"
  },
  throughput: "完了したタスク",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: common.queueTime,
  perHour: (count: string) => `毎時${count}件`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "表で表示",
  asChart: "グラフで表示",
  time: common.time,
  keysOfChart: "左右の矢印キーで各時点の値を表示します。",
  openKey: "Enterキーでその時点のタスクを開きます。",
  noData: "この期間のデータはありません",
  unfinished: "集計中",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  compare: "先週と比較",
  comparedWithLastWeek: "先週との比較",
  weekAgo: (series) => `${series}（先週）`,
  marks: {
    title: "マーク",
    hide: "すべてのグラフで非表示にする",
    show: "すべてのグラフで表示する",
    kinds: {
      deploy: "デプロイ",
      command: common.command,
      rule: common.rule,
      missed_run: "実行漏れ",
      maintenance: "メンテナンス"
    }
  },
  topFailing: "失敗の多いタスク",
  topGroups: "未解決のタスクがある失敗グループ",
  noGroups: "この期間に失敗したグループはありません",
  queues: common.queues,
  depth: common.depth,
  noFailing: "この期間に失敗したタスクはありません",
  noQueues: "キューを報告したエージェントはまだありません",
  name: common.name,
  workersOnline: "オンラインのワーカー",
  agentsOnline: "オンラインのエージェント",
  ofTotal: common.ofTotal,
  dismiss: "非表示にする",
  firstSteps: {
    title: "最初のステップ",
    done: "完了",
    steps: {
      connect: {
        name: "エージェントを接続する",
        hint:
          "エージェントがエンジンのタスクを報告します。エンジンを選び、行をコピーすると、最初のイベントが届きます。",
        action: "接続"
      },
      task: {
        name: "タスクを見る",
        hint: "エージェントが報告したタスクは、すぐに一覧に表示されます。",
        action: "一覧を開く"
      },
      subscribe: {
        name: "アラートを購読する",
        hint: "タスクが失敗し始めたときと、回復したときに、メッセージが届きます。",
        action: "購読"
      },
      invite: {
        name: "同僚を招待する",
        hint: "同僚は同じタスクを見て、2人目の承認が必要な操作を承認できます。",
        action: common.invite
      },
      factor: {
        name: "二要素認証を有効にする",
        hint: "アカウントに、パスワードに加えて電話のコードが必要になります。",
        action: "設定"
      }
    }
  },
  demo: {
    label: "このデモ",
    intro: "このショップはデモです。1分でできること：",
    failures: "多数のタスクをまとめて再試行する",
    alert: "現在の問題を見る",
    approval: "Maraの依頼を判断する",
    rule: "過去のタスクでルールを試す"
  },
  groupBy: "グループ化",
  groupings: { queue: "キュー別", name: "タスク名別", worker: common.byWorker },
  groupTitles: {
    queue: "終了したタスク（キュー別）",
    name: "終了したタスク（名前別）",
    worker: "終了したタスク（ワーカー別）"
  },
  otherGroups: "その他すべて",
  beyondWorkers: (most: string) =>
    `「その他すべて」には、過去8日間で最初の${most}件の名前を超えたワーカーが含まれます。`,
  noQueue: "キューなし"
}
