import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: "デッドレター",
  engine: "エンジン",
  agent: "エージェント",
  anyAgent: "最後に確認されたエージェント",
  queue: "キュー",
  queueHint: "すべてのキュー",
  readAt: (time: string) => `${time}時点`,
  readAgain: "エージェントに再度問い合わせる",
  total: (count: Count) => `エンジンには全部で${count.text}件あります。`,
  task: "タスク",
  error: "エラー",
  attempts: "試行",
  failedAt: "失敗",
  action: "操作",
  none: "エンジンにデッドレターはありません",
  noneHint: "デッドレターとは、再実行できるようにエンジンが保持している失敗したタスクです。",
  noEngine: "エージェントはまだありません",
  noEngineHint: "デッドレターはエンジンのエージェントが一覧します。まずエージェントを接続してください。",
  noneCanList: "デッドレターを一覧できるエージェントがありません",
  cannotList: (engine: string) => `${engine}のエージェントはデッドレターを一覧できません`,
  cannotListHint:
    "RQ、Dramatiq、BullMQ、Effectキューのエージェントは一覧できます。ほかのエンジンの失敗したタスクは、タスク一覧から再試行してください。",
  failedTasks: "失敗したタスクを表示",
  requeue: "キューに戻す",
  requeueQuestion: (name: string) => `${name}をキューに戻しますか？`,
  requeueHint: (queue: string) => `エンジンがタスクをキュー${queue}に戻し、再度実行します。`,
  requeueNotice: (name: string) => `キューに戻す：${name}`
}
