import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const home: Texts["home"] = {
  title: common.allProjects,
  noProjects: "参加しているプロジェクトがありません",
  noProjectsHint: "管理者にプロジェクトへの追加を依頼してください。",
  agents: common.agents,
  workers: common.workers,
  tasks24h: "タスク（24時間）",
  failed24h: "失敗（24時間）",
  lastActivity: "最終アクティビティ",
  recentFailures: "最近の失敗",
  noFailures: "失敗したタスクはありません",
  project: common.project,
  health: common.health,
  healths: { healthy: "正常", degraded: "低下", critical: common.critical, idle: "エージェントなし" }
}
