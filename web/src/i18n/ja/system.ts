import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const system: Texts["system"] = {
  tabs: { health: common.health, versions: "バージョン", settings: common.settings },
  part: "構成要素",
  status: common.status,
  detail: common.details,
  took: common.took,
  statuses: { ok: "正常", degraded: "低下", failed: common.failed },
  statusHints: {
    ok: "すべてのチェックに合格しました。",
    degraded: "サーバーは動作していますが、一部に対応が必要です。",
    failed: "サーバーに必要な部分が動作していません。"
  },
  checks: {
    database: "データベース",
    migrations: "データベースのスキーマ",
    leaders: "バックグラウンドのリース",
    mail: "メール",
    secret_key: "暗号鍵",
    audit_chain: "署名付き監査ログ",
    audit_verification: "監査ログの検証"
  },
  checkHints: {
    database: "読み取りと書き込みに応答します。",
    migrations: "このプログラムに必要なリビジョンです。",
    leaders: "1つのプロセスだけが行う処理の担当プロセスです。",
    mail: "送信に失敗して待機しているメールはありません。",
    secret_key: "保存されたシークレットを復号する鍵が利用できます。",
    audit_chain: "最新の記録が署名内容と一致しています。",
    audit_verification: "前回の検証ですべての記録を読み取り、署名内容と一致しました。"
  },
  loop: (name: string) => `バックグラウンドループ：${name}`,
  loops: (running: string, all: string) =>
    `このプロセスで、${all}個中${running}個のバックグラウンドループがエラーなしで動作しています。`,
  revision: (found: string, expected: string) => `リビジョン${found}（期待値${expected}）`,
  forwarder: "監査Webhook",
  forwarderOff: "設定されていません。SVC_AUDIT_WEBHOOK_URLを設定すると、監査ログの各記録が他のシステムに送信されます。",
  forwarderHint: (worker: string) => `プロセス${worker}の起動以降の数です。レプリカごとに数が異なります。`,
  delivered: "送信済みの記録",
  waiting: "待機中の記録",
  dropped: "破棄された記録",
  lastDelivered: "最終送信",
  failuresInRow: "連続した失敗",
  installation: "インストール環境",
  program: "svc",
  runtime: "ランタイム",
  os: "OS",
  database: "データベース",
  dialects: { sqlite: "SQLite", pg: "PostgreSQL" },
  schema: "スキーマのリビジョン",
  size: common.size,
  megabytes: (count: string) => `${count} MB`,
  check: "新しいバージョンを確認",
  checked: "リリース一覧の確認：",
  neverChecked: "リリース一覧は未確認です。サーバーは要求されたときだけ確認します。",
  package: "パッケージ",
  installed: "インストール済み",
  latest: "最新",
  unknown: common.unknown,
  outdated: "新しいバージョンがあります",
  current: "最新です",
  secondFactor: {
    title: common.secondFactor,
    all: "全員に二要素認証が必要です",
    admins: "全体管理者に二要素認証が必要です",
    none: "二要素認証は任意です",
    without: (count: Count) => `未設定の有効なユーザー：${count.text}人。`,
    deadline: (days: Count) => `未設定のユーザーは次回のサインインから${days.text}日以内に設定します。`,
    bySetting: "設定SVC_MFA_ENFORCE_FOR_ALLが必須にしています。そちらで変更してください。",
    require: "全員に必須にする",
    relax: "任意にする",
    requireTitle: "全員に二要素認証を必須にしますか？",
    relaxTitle: "二要素認証を任意にしますか？",
    ownFirst: "先にご自身の二要素認証が必要です。",
    setUp: "設定する"
  },
  settingsHint: (home: string) =>
    `応答したプロセスで有効な値です。シークレットは伏せられています。環境変数または${home}のsvc.confで変更し、再起動してください。`,
  filter: "設定を絞り込む",
  onlySet: "設定済みのみ",
  noSetting: "一致する設定はありません",
  setting: "設定",
  value: "値",
  source: common.source,
  sources: {
    environment: "環境変数",
    file: common.file,
    tunables: "svc.conf",
    default: "既定値",
    option: "コマンドライン"
  }
}
