import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const exportJobs: Texts["exportJobs"] = {
  title: "エクスポート",
  export: "エクスポート",
  background: "バックグラウンドでエクスポート…",
  question: "一致するタスクをすべてエクスポートしますか？",
  hint:
    "ファイルはバックグラウンドで書き込まれ、ページを閉じても続きます。サーバーの管理者が別の期間を設定していない限り7日間保存されます。",
  matching: (count: Count) => `一致するタスク${count.text}件`,
  moreMatching: (count: Count) => `一致するタスク${count.text}件以上`,
  start: "エクスポートを開始",
  format: "形式",
  formats: { csv: "CSV", json: "JSON", xlsx: "Excel（最大25,000行）" },
  status: "状態",
  statuses: { pending: "待機中", running: "書き込み中", completed: "完了", failed: "失敗" },
  rows: "行数",
  ofTotal: (part: string, total: string) => `${total}件中${part}件`,
  size: "サイズ",
  bytes: (count) => `${count} KB`,
  progress: (rows: string, size: string) => `${rows}行、${size}`,
  by: "実行者",
  created: "依頼日時",
  truncated: "一致する行が1ファイルの上限を超えるため、新しい行だけが入っています。",
  hidden: "引数と結果が含まれています。あなたのロールでは表示できません。",
  download: "ダウンロード",
  remove: "削除",
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
