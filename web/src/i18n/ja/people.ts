import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const people: Texts["people"] = {
  title: common.people,
  members: common.members,
  person: "メンバー",
  role: "ロール",
  since: "参加日",
  actions: common.actions,
  you: "自分",
  noMembers: "メンバーはまだいません",
  noMembersHint: "ユーザーを招待してください。グローバル管理者はメンバーでなくてもプロジェクトを表示できます。",
  roles: { viewer: "閲覧者", auditor: "監査者", operator: common.operator, admin: "管理者" },
  roleHints: {
    viewer: "プロジェクト全体の閲覧とビューの保存ができます。対応済みにできるのは自分のアラートだけです。",
    auditor: "閲覧者の権限に加えて、監査ログの表示とエクスポートができます。",
    operator:
      "閲覧者の権限に加えて、タスクの再試行とキャンセル、コマンドの実行、スケジュールと自動化ルールの変更、プロジェクトのアラートへの対応、承認の表示ができます。",
    admin:
      "オペレーターと監査者の権限に加えて、メンバー、エージェント、通知、設定の管理、承認の判断、タスクの削除ができます。"
  },
  rolesTitle: "各ロールでできること",
  changeRole: "ロールを変更",
  changeRoleOf: (name: string) => `${name}のロールを変更`,
  roleAppliesAtOnce: "新しいロールは次のリクエストから適用されます。",
  remove: "削除",
  removeTitle: (name: string) => `${name}をプロジェクトから削除`,
  removeHint:
    "このメンバーはただちにこのプロジェクトにアクセスできなくなります。アカウントと他のプロジェクトは残ります。",
  removeSelfHint:
    "これはご自身です。ただちにこのプロジェクトにアクセスできなくなり、再び追加できるのは他の管理者だけです。",
  invite: common.invite,
  inviteTitle: "ユーザーを招待",
  email: common.email,
  emailHint: "このアドレスのアカウントがあれば、サインインして承諾します。なければ、リンクからアカウントを作成します。",
  validFor: "リンクの有効期間",
  days: (count: Count) => `${count.text}日間`,
  invitations: common.invitations,
  noInvitations: "招待はありません",
  noInvitationsHint: "招待は、承諾、取り消し、または期限切れになるまで、およびその後しばらくこの一覧に残ります。",
  status: common.status,
  statuses: { pending: "承諾待ち", accepted: "承諾済み", revoked: common.revoked, expired: common.expired },
  expires: common.expires,
  revoke: "取り消す",
  revokeOf: (email: string) => `${email}の招待を取り消す`,
  invitedTitle: (email: string) => `${email}を招待しました`,
  mailSent: "このリンクを記載したメールは送信待ちです。リンクを自分で送ることもできます。",
  mailNotSent: "このサーバーはメールを送信しません。リンクを自分で送ってください。",
  link: "招待リンク",
  linkHint: "リンクは一度だけ表示され、1回だけ使用できます。同じアドレスを後から招待すると無効になります。"
}
