import type { Texts } from "../en.ts"

export const agents: Texts["agents"] = {
  title: "エージェント",
  name: "エージェント",
  state: "状態",
  engines: "エンジン",
  host: "ホスト",
  version: "バージョン",
  lastSeen: "最終確認",
  refused: "直近の拒否",
  advice: "推奨事項",
  none: "エージェントはまだありません",
  noneHint: "次のコマンドで作成できます: svc agents create NAME",
  states: { online: "オンライン", offline: "オフライン" },
  outdated: "古いプロトコルを使用"
}
