import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const users: Texts["users"] = {
  hint:
    "このサーバーのすべてのアカウントです。プロジェクトでの権限は、そのプロジェクトの「メンバー」ページで設定します。",
  none: "ユーザーはいません",
  create: "ユーザーを作成",
  createHint: "プロジェクトへの招待では本人がパスワードを選びます。ここでは最初のパスワードを設定します。",
  active: "有効",
  inactive: "無効",
  activeHint: "無効なアカウントはサインインできません。セッションはただちに終了し、APIキーも使えなくなります。",
  adminHint: "すべてのプロジェクト、ユーザー、サーバーの管理者です。",
  password: common.password,
  passwordHint: "12文字以上。",
  lastLogin: "最終サインイン",
  never: common.never,
  created: "作成日時",
  edit: common.edit,
  setPassword: "パスワードを設定",
  passwordOf: (name: string) => `${name}のパスワードを設定`,
  setPasswordHint: "このアカウントのすべてのセッションが終了します。二要素認証とAPIキーは残ります。",
  delete: common.delete,
  deleteTitle: (name: string) => `${name}を削除`,
  deleteHint:
    "アカウントと、そのセッション、APIキー、メンバーシップ、未承諾の招待を削除します。このユーザーの操作は監査ログに残ります。元に戻すことはできません。"
}
