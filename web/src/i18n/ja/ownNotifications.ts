import type { Texts } from "../en.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: "自分の通知",
  parts: { subscriptions: "購読", channels: "自分のチャンネル", deliveries: "配信" },
  noProject: "まだどのプロジェクトにも参加していません。購読はプロジェクトに属します。管理者に追加を依頼してください。"
}
