import type { Texts } from "../en.ts"

export const home: Texts["home"] = {
  title: "すべてのプロジェクト",
  noProjects: "参加しているプロジェクトがありません",
  noProjectsHint: "管理者にプロジェクトへの追加を依頼してください。",
  agents: "エージェント",
  workers: "ワーカー",
  tasks24h: "タスク（24時間）",
  failed24h: "失敗（24時間）",
  lastActivity: "最終アクティビティ",
  recentFailures: "最近の失敗",
  noFailures: "失敗したタスクはありません",
  project: "プロジェクト",
  health: "稼働状況",
  healths: { healthy: "正常", degraded: "低下", critical: "重大", idle: "エージェントなし" }
}
