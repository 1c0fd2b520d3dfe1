import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "要対応",
  calm: "対応が必要な項目はありません",
  severities: { critical: "重大", warning: "警告" },
  kinds: {
    agents_offline: (count: string) => `オフラインのエージェント: ${count}`,
    agents_refused: (count: string) => `過去24時間に要求が拒否されたエージェント: ${count}`,
    failure_rate: (count: string) => `タスクの20%以上が失敗しています。過去24時間の失敗: ${count}`,
    queue_depth: (count: string) => `1,000件以上のタスクがあるキュー: ${count}`,
    queue_growth: (count: string) => `15分間増え続けているキュー: ${count}`,
    stuck_commands: (count: string) => `5分間結果のないコマンド: ${count}`,
    schedule_misfires: (count: string) => `過去24時間のスケジュールのミスファイア: ${count}`,
    channels_disabled: (count: string) => `無効になっているチャンネル: ${count}`,
    breakers_tripped: (count: string) => `ブレーカーが作動したルール: ${count}`,
    schedules_tripped: (count: string) => `サーキットブレーカーが無効にしたスケジュール: ${count}`
  },
  lastSeen: (name: string, time: string) => `${name}: 最終確認 ${time}`,
  neverConnected: (name: string) => `${name}: 接続されたことがありません`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
