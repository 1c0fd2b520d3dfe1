import type { Texts } from "../en.ts"

export const maintenance: Texts["maintenance"] = {
  title: "メンテナンス期間",
  create: "新しい期間",
  edit: (name: string) => `${name}の変更`,
  hint: "期間中はアラートが記録され、メッセージは送信されません。終了時に未解決のアラートは、その時点で送信されます。",
  name: "名前",
  state: "状態",
  states: { planned: "予定", lasts: "有効", ended: "終了" },
  startsAt: "開始",
  endsAt: "終了",
  endHint: "開始から最長30日。",
  lasts: "期間",
  actions: "操作",
  actionOn: (action: string, name: string) => `${action}：${name}`,
  none: "メンテナンス期間はありません",
  noneHint: "アラートの原因となる作業の前に、管理者が設定します。",
  deleteTitle: (name: string) => `${name}の削除`,
  deleteHints: {
    planned: "その期間も通常どおりメッセージが送信されます。",
    lasts: "すぐに終了し、未解決のアラートが送信されます。",
    ended: "一覧から削除されます。アラートと配信は残ります。"
  }
}
