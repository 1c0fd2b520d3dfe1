import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deadLetters: Texts["deadLetters"] = {
  title: common.deadLetters,
  engine: common.engine,
  agent: common.agent,
  anyAgent: "最後に確認されたエージェント",
  queue: common.queue,
  queueHint: "すべてのキュー",
  readAt: common.asOf,
  readAgain: "エージェントに再度問い合わせる",
  total: (count: Count) => `エンジンには全部で${count.text}件あります。`,
  task: common.task,
  error: common.error,
  attempts: common.attempts,
  failedAt: common.failedTask,
  action: common.action,
  none: "エンジンにデッドレターはありません",
  noneHint: "デッドレターとは、再実行できるようにエンジンが保持している失敗したタスクです。",
  noEngine: common.noAgentsYet,
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
