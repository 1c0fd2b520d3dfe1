import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject: "まだどのプロジェクトにも参加していません。購読はプロジェクトに属します。管理者に追加を依頼してください。"
}
