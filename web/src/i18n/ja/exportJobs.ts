import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: common.exports,
  export: common.export,
  background: "バックグラウンドでエクスポート…",
  question: "一致するタスクをすべてエクスポートしますか？",
  hint:
    "ファイルはバックグラウンドで書き込まれ、ページを閉じても続きます。サーバーの管理者が別の期間を設定していない限り7日間保存されます。",
  matching: common.matchingTasks,
  moreMatching: (count: Count) => `一致するタスク${count.text}件以上`,
  start: "エクスポートを開始",
  format: "形式",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel（最大25,000行）" },
  status: common.status,
  statuses: { pending: common.waiting, running: "書き込み中", completed: "完了", failed: common.failed },
  rows: "行数",
  ofTotal: common.ofTotal,
  size: common.size,
  bytes: (count) => `${count} KB`,
  progress: (rows: string, size: string) => `${rows}行、${size}`,
  by: common.by,
  created: "依頼日時",
  truncated: "一致する行が1ファイルの上限を超えるため、新しい行だけが入っています。",
  hidden: "引数と結果が含まれています。あなたのロールでは表示できません。",
  download: common.download,
  remove: common.delete,
  removeName: (created: string) => `${created}のエクスポートを削除`,
  removeQuestion: "このエクスポートを削除しますか？",
  removeHint: "ファイルはダウンロードできなくなります。書き込み中のエクスポートは終了します。",
  begun: "タスクをエクスポートしています",
  ready: "エクスポートが完了しました",
  failed: "エクスポートに失敗しました",
  see: "エクスポートを見る",
  none: "エクスポートはまだありません",
  noneHint:
    "タスクの一覧の上にある「バックグラウンドでエクスポート…」を選んでください。ファイルは、サーバーの管理者が別の期間を設定していない限り7日間保存されます。"
}
