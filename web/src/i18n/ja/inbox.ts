import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const inbox: Texts["inbox"] = {
  title: common.inbox,
  titleWith: (count: Count) => `受信箱、未読${count.text}件`,
  unread: "未読",
  onlyUnread: "未読のみ",
  markRead: "既読にする",
  markOneRead: (title: string) => `既読にする：${title}`,
  markAllRead: "すべて既読にする",
  none: "受信箱は空です",
  noneHint: "プロジェクトと購読のアラートの発生、変化、回復がここに表示されます。",
  noneUnread: "未読はありません"
}
