import type { Texts } from "./en.ts"
import { account } from "./ja/account.ts"
import { activity } from "./ja/activity.ts"
import { agents } from "./ja/agents.ts"
import { alerts } from "./ja/alerts.ts"
import { apiKeys } from "./ja/apiKeys.ts"
import { approvals } from "./ja/approvals.ts"
import { attention } from "./ja/attention.ts"
import { audit } from "./ja/audit.ts"
import { automation } from "./ja/automation.ts"
import { bulkJobs } from "./ja/bulkJobs.ts"
import { bulkRetries } from "./ja/bulkRetries.ts"
import { channels } from "./ja/channels.ts"
import { commands } from "./ja/commands.ts"
import { common } from "./ja/common.ts"
import { deadLetters } from "./ja/deadLetters.ts"
import { deliveries } from "./ja/deliveries.ts"
import { differences } from "./ja/differences.ts"
import { exportJobs } from "./ja/exportJobs.ts"
import { failures } from "./ja/failures.ts"
import { home } from "./ja/home.ts"
import { inbox } from "./ja/inbox.ts"
import { keys } from "./ja/keys.ts"
import { maintenance } from "./ja/maintenance.ts"
import { names } from "./ja/names.ts"
import { notifications } from "./ja/notifications.ts"
import { oldRows } from "./ja/oldRows.ts"
import { overview } from "./ja/overview.ts"
import { ownNotifications } from "./ja/ownNotifications.ts"
import { palette } from "./ja/palette.ts"
import { people } from "./ja/people.ts"
import { persons } from "./ja/persons.ts"
import { projectSettings } from "./ja/projectSettings.ts"
import { queues } from "./ja/queues.ts"
import { schedules } from "./ja/schedules.ts"
import { secondFactor } from "./ja/secondFactor.ts"
import { subscriptions } from "./ja/subscriptions.ts"
import { system } from "./ja/system.ts"
import { task } from "./ja/task.ts"
import { tasks } from "./ja/tasks.ts"
import { users } from "./ja/users.ts"
import { workers } from "./ja/workers.ts"

export const ja: Texts = {
  common,
  productName: "svc",
  loading: common.loading,
  skipToContent: "本文へ移動",
  skipToList: "一覧へ移動",
  close: "閉じる",
  cancel: common.cancel,
  keepRunning: "実行を続ける",
  copy: common.copy,
  copied: "コピーしました",
  none: "なし",
  older: "さらに読み込む",
  forms: {
    typeToConfirm: (phrase: string) => `確認のため「${phrase}」と入力してください`,
    save: "保存",
    create: common.create,
    edit: common.edit,
    delete: common.delete,
    optional: "任意",
    awaitsApproval: "承認待ち",
    done: "完了",
    saved: "保存しました。",
    durationProblem: "15 min、4 hのように時間の長さを入力してください。",
    durationRange: (min: string, max: string) => `${min}～${max}の時間の長さを入力してください。`,
    requested: "承認待ちです。まだ何も変更されていません。"
  },
  stepUp: {
    title: "本人確認",
    hint: "パスワードまたはコードを再入力してください。前回の入力から数分以上たっています。"
  },
  error: {
    title: "このページを読み込めませんでした",
    actionTitle: "操作に失敗しました",
    unreachable: "サーバーに接続できません。データが古い可能性があります。",
    noProblem: (status: string) =>
      `別のプログラムがステータス${status}で応答しました。サーバーの前段のリバースプロキシを確認してください。`,
    requestId: "リクエストID",
    retry: "もう一度試す",
    notFound: "ページが見つかりません",
    notFoundHint: "アドレスが古いか、誤っている可能性があります。",
    noProject: "プロジェクトが見つかりません",
    noProjectHint: "名前が変わったか、削除されたか、あなたがメンバーではない可能性があります。",
    toHome: "すべてのプロジェクトへ"
  },
  connection: {
    lost: "接続できません。再試行しています",
    upgraded: "サーバーが更新されました",
    reloads: "まもなくページを再読み込みします。",
    saveFirst: "変更を保存してから、ページを再読み込みしてください。",
    reload: "ページを再読み込み"
  },
  unsaved: {
    title: "保存していない変更を破棄しますか？",
    keep: "編集を続ける",
    discard: "変更を破棄"
  },
  wall: {
    open: "壁面表示",
    leave: "壁面表示を終了",
    signedOut: "サインアウトしています。壁面表示を見るにはサインインしてください。",
    lost: "サーバーに接続できません",
    lostSince: (time: string) => `サーバーに接続できません。${time}時点の内容です。`
  },
  live: {
    live: "ライブ",
    connecting: "再接続中",
    paused: common.paused,
    pause: "更新を一時停止",
    resume: "更新を再開",
    trueAt: common.asOf
  },
  session: {
    title: "サインイン",
    email: common.email,
    password: common.password,
    remember: "このデバイスでサインイン状態を維持する",
    submit: "サインイン",
    forgot: "パスワードをお忘れですか？",
    provider: "プロバイダーでサインイン",
    codeTitle: common.secondFactor,
    codeHint: "認証アプリのコード、またはリカバリーコードのいずれかを入力してください。",
    code: "コード",
    trust: "このデバイスでは今後確認しない",
    verify: common.continue,
    signOut: "サインアウト",
    ended: "セッションが終了しました。続けるにはもう一度サインインしてください。"
  },
  settings: {
    theme: "テーマ",
    themes: { system: common.system, light: "ライト", dark: "ダーク" },
    language: "言語",
    zone: "時刻の表示",
    zones: { browser: "このブラウザーのタイムゾーン", utc: "UTC", project: "プロジェクトのタイムゾーン" },
    account: "アカウントと設定"
  },
  nav: {
    label: "プロジェクトのページ",
    allProjects: common.allProjects,
    overview: common.overview,
    tasks: common.tasks,
    commands: common.commands,
    queues: common.queues,
    workers: common.workers,
    agents: common.agents,
    switchProject: "プロジェクトを切り替え",
    failures: common.failures,
    schedules: common.schedules,
    notifications: common.notifications,
    automation: common.automation,
    approvals: common.approvals,
    activity: common.activity,
    audit: common.auditLog,
    people: common.people,
    settings: common.settings,
    inbox: common.inbox,
    system: common.system,
    users: common.users,
    account: common.account,
    more: "その他のページ"
  },
  states: {
    pending: "保留中",
    received: "受信済み",
    started: "開始済み",
    success: common.succeededTask,
    failure: common.failedTask,
    retry: "再試行中",
    revoked: common.revoked,
    rejected: common.rejected,
    unknown: common.unknown
  },
  home,
  attention,
  names,
  overview,
  account,
  apiKeys,
  secondFactor,
  projectSettings,
  users,
  system,
  people,
  tasks,
  task,
  failures,
  deadLetters,
  commands,
  bulkJobs,
  bulkRetries,
  exportJobs,
  queues,
  schedules,
  workers,
  agents,
  notifications,
  alerts,
  activity,
  audit,
  automation,
  approvals,
  persons,
  oldRows,
  keys,
  palette,
  channels,
  subscriptions,
  deliveries,
  differences,
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "通知",
    retry: (what: string) => `再試行：${what}`,
    cancel: (what: string) => `キャンセル：${what}`,
    refused: "拒否",
    noAgent: "このエンジンのエージェントがプロジェクトにないため、コマンドを実行できません。"
  }
}
