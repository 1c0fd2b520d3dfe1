import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "自分の通知",
  parts: { subscriptions: "購読", channels: "自分のチャンネル", deliveries: "配信" },
  noProject:
    "どのプロジェクトのメンバーでもありません。購読はプロジェクトに属します。プロジェクトの管理者に追加を依頼してください。"
}
