import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const deliveries: Texts["deliveries"] = {
  title: common.deliveries,
  delivery: "配信",
  status: common.status,
  statuses: { pending: common.pending, sent: "送信済み", failed: common.failed, suppressed: "未送信" },
  statusHints: {
    pending: "最初または次の試行を待っています。",
    sent: "受信側が受理しました。",
    failed: "10回の試行が失敗したか、恒久的なエラーが発生しました。",
    suppressed: "チャンネルが削除されたか無効です。または所有者がメッセージを受け取れなくなりました。"
  },
  allStatuses: "すべての状態",
  allChannels: "すべてのチャンネル",
  project: common.project,
  allProjects: common.allProjects,
  ofOneAlert: "1つのアラートのみ",
  clearFilter: common.showAll,
  channel: common.channel,
  trigger: common.trigger,
  task: common.task,
  attempts: common.attempts,
  response: "応答",
  when: "最後の試行",
  resent: "再送",
  none: "配信はまだありません",
  noneHint:
    "チャンネルをテストするか、最初のアラートをお待ちください。チャンネルへの各メッセージがここに表示されます。",
  noneMatch: "一致する配信はありません",
  attempt: (number: string) => `試行${number}`,
  took: (duration: string) => `所要時間${duration}`,
  code: common.statusCode,
  noResponse: "HTTPステータスなし",
  responseTo: (number: string) => `試行${number}の応答`,
  toChannel: (name: string, type: string) => `宛先：${name}（${type}）`,
  nextAttempt: "次の試行",
  sentBy: (person: string) => `送信者：${person}`,
  noAttempt: "終了した試行はまだありません。",
  resend: "再送する",
  clear: "記録を削除",
  clearTitle: "配信の記録を削除",
  clearHint:
    "プロジェクトの全チャンネルへの終了した配信を、試行とともに削除します。削除後は閲覧も再送もできません。待機中の配信と監査ログは残ります。",
  which: "対象",
  olderThan: (duration: string) => `${duration}より前`,
  allEnded: "終了したものすべて",
  cleared: (count: Count) => `${count.text}件の配信を削除しました`,
  clearedHint: "待機中の配信と監査ログは残ります。"
}
