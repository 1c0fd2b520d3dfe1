import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const notifications: Texts["notifications"] = {
  title: common.notifications,
  parts: {
    alerts: common.alerts,
    channels: common.channels,
    defaults: "既定の購読",
    deliveries: common.deliveries,
    maintenance: common.maintenanceWindows
  },
  own: common.myNotifications,
  triggers: {
    "task.failed": "タスクの失敗",
    "task.succeeded": "タスクの成功",
    "task.retried": "タスクの再試行",
    "task.retries_exhausted": "最後の再試行の失敗",
    "task.failure_rate": common.failureRate,
    "task.orphaned": "タスクの孤立",
    "failure_group.regressed": "解決済みの失敗の再発",
    "agent.offline": "エージェントのオフライン",
    "agent.online": "エージェントの復帰",
    "worker.offline": "ワーカーのオフライン",
    "schedule.misfired": "スケジュールの実行漏れ",
    "schedule.fire.succeeded": "スケジュールの実行の成功",
    "schedule.fire.failed": "スケジュールの実行の失敗",
    "schedule.task_failed": "スケジュールされたタスクの失敗",
    "schedule.circuit_breaker.tripped": "失敗によるスケジュールの無効化",
    "approval.requested": "承認の依頼",
    "test.dispatch": "テスト",
    "channel.failing": "チャンネルの障害",
    "channel.disabled": "チャンネルの無効化"
  },
  severities: { critical: common.critical, error: common.error, warning: common.warning, info: "情報" }
}
