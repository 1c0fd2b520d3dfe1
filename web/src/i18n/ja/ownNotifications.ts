import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const ownNotifications: Texts["ownNotifications"] = {
  title: common.myNotifications,
  parts: { subscriptions: common.subscriptions, channels: common.myChannels, deliveries: common.deliveries },
  noProject: "まだどのプロジェクトにも参加していません。購読はプロジェクトに属します。管理者に追加を依頼してください。",
  browser: {
    show: "このブラウザで通知を表示する",
    hint: "svcをタブで開いたままほかの画面を見ている間、受信箱の新しいメッセージが表示されます。",
    denied: "ブラウザが通知をブロックしています。ブラウザのサイト設定で、このアドレスの通知を許可してください。",
    unsupported: "このブラウザではここに通知を表示できません。HTTPSと、通知に対応したブラウザが必要です。"
  }
}
