import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const approvals: Texts["approvals"] = {
  title: common.approvals,
  intro: "別のユーザーの承認が必要な操作です。対象は管理者が設定で選びます。",
  filter: common.status,
  none: "承認待ちの操作はありません",
  noneHint:
    "プロジェクトの設定で承認が必要な場合、キューの消去、大量の一括操作、再試行またはキャンセルを行うルールがここに表示されます。",
  noneOfStatus: "この状態の承認はありません",
  tabs: {
    pending: common.waiting,
    approved: "完了",
    failed: common.failed,
    rejected: "却下",
    expired: "期限切れ",
    all: common.all
  },
  statusHints: {
    pending: "まだ何も実行されていません。操作は、承認したユーザーの名義で実行されます。",
    approved: "別のユーザーが承認し、実行されました。",
    failed: "別のユーザーが承認しましたが、その後サーバーが拒否しました。何も実行されていません。",
    rejected: "別のユーザーが却下しました。何も実行されていません。",
    expired: "期限までに判断されませんでした。何も実行されていません。もう一度依頼できます。"
  },
  kinds: {
    purge_queue: "キューの消去",
    bulk_retry: "多数のタスクの再試行",
    bulk_retry_request: common.bulkRetry,
    bulk_delete: "多数のタスクの削除",
    bulk_cancel: "多数のタスクのキャンセル",
    rule_create: "新しい自動化ルール",
    rule_update: "自動化ルールの変更",
    rule_reset: "自動化ルールのブレーカー",
    membership_grant: "プロジェクトの新しい管理者",
    membership_role: "メンバーのロール",
    invitation: "管理者の招待",
    user_update: "アカウントの権限",
    policy: "承認が必要な操作の変更"
  },
  requestedByName: (name) => `依頼者：${name}`,
  kind: common.kind,
  requestedBy: "依頼者",
  requestedAt: "依頼日時",
  expiresAt: common.expires,
  decidedBy: "判断したユーザー",
  decidedAt: "判断日時",
  reason: common.reason,
  request: "リクエスト",
  result: common.result,
  change: "変更内容",
  before: "変更前",
  after: "変更後",
  revision: (r) => `リビジョン${r}`,
  outdated:
    "依頼の後に対象が変わったか、対象が当時より増えていました。何も実行されていません。まだ必要な場合は、もう一度依頼してください。",
  noResult: "結果が保存される前にサーバーが停止しました。実行されたかどうかを確認してください。再実行はされません。",
  approve: "承認する",
  reject: "却下する",
  own: "ご自身の依頼のため、別の管理者が判断します。",
  needsAdmin: "プロジェクトの管理者が判断します。",
  approveQuestion: "承認して実行しますか？",
  approveHint: (name) => `ただちに、あなたの名義で実行されます。依頼した${name}に通知されます。`,
  rejectQuestion: "却下しますか？",
  rejectHint: (name) => `何も実行されません。${name}に理由が通知されます。`,
  rejectReason: common.reason,
  approved: "承認され、実行されました",
  failed: "承認後にサーバーが拒否しました",
  see: "承認を見る",
  waiting: (count: Count) => `${count.text}件があなたを待っています`,
  notWaiting: "もう待機していません。判断されたか、期限が切れました。"
}
