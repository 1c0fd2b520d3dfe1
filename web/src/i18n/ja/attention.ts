import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const attention: Texts["attention"] = {
  title: common.needsAttention,
  calm: "対応が必要な項目はありません",
  severities: { critical: common.critical, warning: common.warning },
  kinds: {
    agents_offline: (count: Count) => `${count.text}個のエージェントがオフライン`,
    agents_refused: (count: Count) => `過去24時間に${count.text}個のエージェントの要求を拒否`,
    alerts_open: (count: Count) => `未対応のアラートが${count.text}件`,
    approvals_waiting: (count: Count) => `別の人の承認を待っている操作が${count.text}件`,
    failure_rate: (count: Count) => `タスクの20%以上が失敗（過去24時間に${count.text}件）`,
    queue_depth: (count: Count) => `1,000件以上のタスクがあるキューが${count.text}個`,
    queue_over_target: (count: Count) => `目標より長く待つタスクがあるキューが${count.text}個`,
    queue_growth: (count: Count) => `15分間増え続けているキューが${count.text}個`,
    queue_unconsumed: (count: Count) => `待機中のタスクがあり、取得するワーカーがないキューが${count.text}個`,
    failure_groups_regressed: (count: Count) => `解決済みで再発した失敗グループが${count.text}個`,
    failure_groups_new: (count: Count) => `過去24時間に新しい失敗グループが${count.text}個`,
    failure_groups_escalating: (count: Count) => `失敗が前日の最多時間の2倍以上に増えたグループが${count.text}個`,
    stuck_commands: (count: Count) => `5分以上結果のないコマンドが${count.text}件`,
    schedule_misfires: (count: Count) => `過去24時間にスケジュールの実行漏れが${count.text}件`,
    channels_disabled: (count: Count) => `無効なチャンネルが${count.text}個`,
    breakers_tripped: (count: Count) => `ブレーカーが作動したルールが${count.text}個`,
    schedules_tripped: (count: Count) => `サーキットブレーカーが無効にしたスケジュールが${count.text}個`
  },
  lastSeen: (name: string, time: string) => `${name}：最終確認${time}`,
  neverConnected: (name: string) => `${name}：接続されたことがありません`,
  refused: (name: string, reason: string) => `${name}：${reason}`
}
