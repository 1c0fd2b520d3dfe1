import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const projectSettings: Texts["projectSettings"] = {
  title: common.settings,
  onlyAdmins: "設定を変更できるのはプロジェクトの管理者だけです。",
  create: "プロジェクトを作成",
  general: "全般",
  name: common.name,
  slug: "スラッグ",
  slugHint: "アドレスとAPIパスでの名前です。変更すると、以前のリンクとスクリプトのパスは使えなくなります。",
  newSlugHint: "アドレスとAPIパスでの名前です。英小文字、数字、ハイフンが使えます。",
  description: "説明",
  environment: "環境",
  environmentHint: "productionなどのラベルです。他には影響しません。",
  zone: common.timeZone,
  zoneHint:
    "プロジェクトのタイムゾーンを選んだユーザーには、この時刻で表示されます。スケジュールには独自のタイムゾーンがあります。",
  searchable: "検索可能な値",
  searchableHint:
    "索引で検索される引数と結果です。最大16か所。タスクの値の中で場所を指定します。1か所ごとに、その名前のタスクの処理にサーバーの時間が少しかかります。",
  noSearchable: "検索可能な場所はまだありません。",
  searchableStatuses: { waiting: "新しいタスクのみ", filling: "作成中", ready: "作成済み" },
  searchableSince: (time) => `${time}以降のタスク`,
  stopSearchable: "索引を削除",
  taskName: common.taskName,
  place: "場所",
  status: common.status,
  actions: common.actions,
  access: "アクセスとペイロード",
  payloadRole: "引数と結果を表示できるユーザー",
  payloadRoleHint:
    "他のユーザーには、タスク、スケジュール、エクスポートで非表示になります。例外とトレースバックは表示されます。",
  payloadRoles: {
    viewer: "すべてのメンバー",
    auditor: "監査者と管理者",
    operator: "オペレーターと管理者",
    admin: "管理者のみ"
  },
  addresses: "許可するIPアドレス",
  addressesHint:
    "192.0.2.0/24のようなネットワークを1行に1つ。ご自身のアドレスを含めてください。他のアドレスからのユーザーとAPIキーは拒否されます。エージェントには影響しません。空の場合はすべてのアドレスを許可します。",
  approvals: common.approvals,
  approvalsHint: "選択した操作は、別のユーザーが承認するまで実行されません。",
  approvalsActiveHint:
    "選択した操作は、別のユーザーが承認するまで実行されません。このポリシーの変更にも承認が必要です。",
  holdPurges: "キューの消去",
  holdRules: "再試行またはキャンセルを行う自動化ルール",
  holdRulesHint: "そのようなルールの作成と変更。削除には承認は不要です。",
  holdBulk: "一括操作（次の件数を超えるタスク）",
  holdBulkHint: "一括再試行、一括削除、一括キャンセル。空の場合は承認は不要です。",
  schedulers: common.schedulers,
  owner: "新しいスケジュールのスケジューラー",
  ownerHint: "スケジューラーを指定していないスケジュールを実行します（例：svc-scheduler）。",
  allowedSchedulers: "許可するスケジューラー",
  allowedSchedulersHint: "1行に1つ。他のスケジューラーのスケジュールは実行されません。空の場合はすべて許可します。",
  delete: "プロジェクトを削除",
  deleteTitle: common.deleteTitle,
  deleteHint:
    "プロジェクトはただちに消えます。エージェントは切断され、未完了のコマンドはキャンセルされ、タスク、メンバー、APIキーは削除されます。元に戻すことはできません。"
}
