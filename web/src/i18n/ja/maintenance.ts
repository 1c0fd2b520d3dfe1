import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const maintenance: Texts["maintenance"] = {
  title: common.maintenanceWindows,
  create: "新しい期間",
  edit: common.editTitle,
  hint: "期間中はアラートが記録され、メッセージは送信されません。終了時に未解決のアラートは、その時点で送信されます。",
  name: common.name,
  state: common.status,
  states: { planned: "予定", lasts: common.active, ended: common.ended },
  startsAt: "開始",
  endsAt: "終了",
  endHint: "開始から最長30日。",
  lasts: "期間",
  actions: common.actions,
  actionOn: common.actionOn,
  none: "メンテナンス期間はありません",
  noneHint: "アラートの原因となる作業の前に、管理者が設定します。",
  deleteTitle: common.deleteTitle,
  deleteHints: {
    planned: "その期間も通常どおりメッセージが送信されます。",
    lasts: "すぐに終了し、未解決のアラートが送信されます。",
    ended: "一覧から削除されます。アラートと配信は残ります。"
  }
}
