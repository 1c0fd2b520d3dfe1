import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const bulkRetries: Texts["bulkRetries"] = {
  title: common.bulkRetries,
  one: common.bulkRetry,
  singleCommands: "個別のコマンド",
  status: common.status,
  phases: {
    running: common.running,
    paused: common.paused,
    cancelling: "キャンセル済み（最後の結果を待機中）",
    completed: common.completed,
    cancelled: common.cancelled,
    expired: "期限切れ"
  },
  counts: {
    succeeded: "再試行済み",
    failed: "再試行されず",
    unknown: common.outcomeUnknown,
    unobserved: "対象外",
    claimed: "コマンド送信済み",
    pending: common.waiting
  },
  countHints: {
    succeeded: "エージェントが再試行を確認しました。",
    failed: "エージェントが拒否したか、失敗しました。",
    unknown: "コマンドは送信されましたが、実行されたかどうかは不明です。",
    unobserved: "タスクが削除または変更されたか、コマンドが送信前にキャンセルされました。",
    claimed: "コマンドは発行されましたが、まだ結果がありません。",
    pending: "コマンドはまだ発行されていません。"
  },
  outcomeTitle: "再試行したタスクの結果",
  outcomes: {
    succeeded: common.succeededTasks,
    failed: "再び失敗",
    waiting: common.waiting,
    cancelled: common.cancelled,
    unknown: common.unknown
  },
  outcomeHints: {
    succeeded: "タスクが成功したか、その後の再試行が成功しました。",
    failed: "タスクが再び失敗しました。",
    waiting: "タスクは待機中か実行中です。",
    cancelled: "タスクはキャンセルまたは拒否されました。",
    unknown: "1日以内にどのエージェントからも報告がないか、終了が不明か、タスクが削除されました。"
  },
  failedAgain: (count: Count) => `${count.text}件が再び失敗`,
  showFailedAgain: "再び失敗したタスクを表示",
  reasons: {
    task_deleted: "タスクは削除されました。",
    task_changed: "タスクの状態が再試行の開始時と異なります。",
    task_retried: "その後、別のコマンドがタスクを再試行しました。",
    command_cancelled: "コマンドは送信前にキャンセルされました。",
    refused: "エンジンは引数なしでタスクを再試行できません。",
    failed: "エージェントが拒否したか、失敗しました。",
    unconfirmed: "コマンドは送信されましたが、結果は不明です。"
  },
  filter: common.filter,
  facts: common.details,
  progress: common.progress,
  ofTotal: common.ofTotal,
  done: "処理済み",
  failed: "再試行されず",
  created: "開始",
  finished: "終了",
  lastProgress: "最後の進捗",
  deadline: "期限",
  rate: "速度",
  noRate: "制限なし",
  perSecond: (rate: string) => `毎秒${rate}件`,
  capped: (max: string) => `一致するタスクはさらにあります。古い順に${max}件のみが対象です。`,
  tasks: common.tasks,
  allTasks: common.all,
  task: common.task,
  reason: common.reason,
  newTask: "新しいタスク",
  noItems: "この結果のタスクはありません",
  none: "一括再試行はまだありません",
  noneHint: "失敗グループを開くか、タスク一覧を絞り込んで、すべてを再試行してください。",
  pause: common.pause,
  resume: common.resume,
  cancel: "再試行をキャンセル",
  cancelQuestion: "この一括再試行をキャンセルしますか？",
  cancelHint: (count: Count) =>
    `${count.text}件のタスクは再試行されません。送信済みのコマンドは取り消されません。キャンセルした再試行は再開できません。`,
  changeRate: "速度を変更",
  rateField: "毎秒の再試行数",
  rateHint: "空の場合は制限しません。",
  rateResumes: "空の場合は制限しません。再試行はすぐに続行されます。",
  maxField: "タスクの上限",
  maxHint: (most: string) =>
    `最大${most}件。それより多く一致する場合は、古いものから対象になります。空の場合は、一致するすべてが対象です。`,
  matching: common.matchingTasks,
  takes: (part: string, all: string) => `一致する${all}件のうち古い順に${part}件`,
  takesOfMore: (part: string, all: string) => `一致する${all}件超のうち古い順に${part}件`,
  engineNote: (engine: string, count: string) => `${engine}（${count}件）：`,
  byName: "名前別",
  byException: "例外別",
  more: common.more,
  start: "再試行を開始"
}
