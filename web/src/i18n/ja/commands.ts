import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const commands: Texts["commands"] = {
  title: common.commands,
  action: common.action,
  target: common.target,
  agent: common.agent,
  status: common.outcome,
  issued: "発行",
  took: common.took,
  error: common.error,
  none: "コマンドはまだありません",
  noneOfStatus: "この結果のコマンドはありません",
  noneHint: "タスクを再試行またはキャンセルすると、そのコマンドの結果がここに表示されます。",
  statuses: {
    pending: common.pending,
    dispatched: "送信済み",
    completed: common.completed,
    failed: common.failed,
    timeout: common.outcomeUnknown,
    cancelled: common.cancelled
  },
  statusHelp: "結果の意味",
  statusHints: {
    pending: "まだどのエージェントも受け取っていません。",
    dispatched: "エージェントが受け取りましたが、まだ応答していません。",
    completed: "エージェントが実行しました。",
    failed: "エージェントは実行できませんでした。",
    timeout: "エージェントが時間内に応答しませんでした。実行された可能性があります。",
    cancelled: "エージェントが受け取る前にキャンセルされました。"
  },
  actions: {
    retry_task: "タスクを再試行",
    cancel_task: "タスクをキャンセル",
    requeue_dead_letter: "デッドレターをキューに戻す",
    bulk_retry: "多数のタスクを再試行",
    purge_queue: "キューを消去",
    pause_queue: "キューを一時停止",
    resume_queue: "キューを再開",
    restart_worker: "ワーカーを再起動",
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "キューの消費を開始",
    cancel_consumer: "キューの消費を停止",
    rate_limit: common.setRateLimit,
    reconcile_task: "タスクを照合",
    "dlq.list": "デッドレターを一覧表示",
    "schedule.fire": "スケジュールを実行",
    "schedule.trigger_now": "スケジュールを今すぐ実行",
    "schedule.delete": "スケジュールを削除",
    "schedule.resync": "スケジュールを再公開",
    "schedule.external.activate": "スケジュールを公開",
    "schedule.external.control": "スケジュールを有効または無効にする",
    "schedule.external.mutate": "スケジュールを変更"
  },
  allStatuses: "すべての結果"
}
