import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const agents: Texts["agents"] = {
  title: common.agents,
  name: common.agent,
  id: common.id,
  state: common.status,
  engines: "エンジン",
  host: common.host,
  framework: common.framework,
  version: common.version,
  protocol: "プロトコル",
  facts: common.details,
  lastSeen: common.lastSeen,
  connectedAt: "最終接続",
  createdAt: "作成日時",
  never: common.neverInText,
  outdated: "プロトコルのバージョンが古い",
  refused: "直近の拒否",
  refusedBefore: "その後に接続できているため、対応は不要です。",
  advice: common.needsAttention,
  noTrouble: "このエージェントに問題は見つかっていません。",
  capabilities: "対応する操作",
  noCapabilities: "対応する操作はまだ報告されていません。WebSocketでのみ報告されます。",
  lastDay: common.last24Hours,
  uptime: (percent: string) => `過去24時間の${percent}で接続`,
  uptimeOfKnown: (percent: string, duration: string) => `状態が分かる${duration}のうち${percent}で接続`,
  uptimeUnknown: "不明です",
  away: (duration: string, time: string) => `${time}に${duration}切断`,
  awaySince: (time: string) => `${time}から切断中`,
  awayInAll: (count: Count, duration: string) => `切断${count.text}回、計${duration}`,
  legend: "30分ごとの状態",
  cells: {
    connected: "接続",
    partly: "一部切断",
    away: "切断",
    unknown: "不明：初回接続より前、またはサーバーの停止中"
  },
  noOutage: "記録された切断はありません。",
  losses: "失われたテレメトリー",
  noLoss: "失われたイベントを報告したプロセスはありません。",
  none: common.noAgentsYet,
  noneHint:
    "エージェントはタスクエンジンをサーバーに接続します。アシスタントが、インストールするものとコピーする行を表示します。",
  adminsCreate: "エージェントを作成できるのは管理者だけです",
  adminsCreateHint: "プロジェクトの管理者に作成を依頼してください。",
  unknown: "エージェントが見つかりません",
  unknownHint: "削除された可能性があります。一覧には現在あるエージェントが表示されます。",
  create: "新しいエージェント",
  createSubmit: "エージェントを作成",
  chooseEngine: "どのエンジンがタスクを実行しますか？",
  newName: "エージェントの名前",
  newNameHint: "一覧やコマンドに表示されます（例：デプロイの名前）。",
  namespace: "名前空間",
  namespaceHint:
    "任意。タスクIDの一部になります（例：eu/mail:1）。IDが一つのブローカー内でしか一意でない場合に設定します：BullMQ、手動で決めたRQのID、外部からの読み取り。",
  back: "エージェントの一覧へ戻る",
  shownOnce:
    "トークンとシークレットは一度だけ表示されます。このページを離れる前にコピーしてください。これらを知る人は、このエージェントとしてタスクを報告できます。",
  choosePlace: "ワーカーの実行場所",
  places: { shell: "シェル", docker: "Docker", kubernetes: "Kubernetes" },
  steps: {
    environment: "1. インストールして環境変数を設定",
    code: "2. アプリケーションに追加",
    start: "3. ワーカーを起動"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAMEは--hostnameのノード名と一致させてください。一致しないと、各イベントがエージェントごとに届きます。",
  plainHttp:
    "平文のhttpは、ワーカーがサーバーと同じマシンにある場合だけ使えます。ほかのマシンからはhttpsのアドレスを使ってください。",
  waitTitle: "最初のイベント",
  waitingForConnection: "エージェントの接続を待っています",
  connected: (host: string) => `${host}から接続されました`,
  waitingForEvent: "最初のイベントを待っています",
  firstEvent: (kind: string) => `最初のイベントが届きました（${kind}）：`,
  toAgent: "エージェントを開く",
  toOverview: "次のステップ",
  remedies: {
    secret:
      "このトークンと一緒に表示されたHMACシークレットを設定し、ワーカーを再起動してください。手元にない場合は、別のエージェントを作成してください。",
    clock: "NTPなどで、エージェントのマシンの時計を合わせてください。",
    upgrade: "エージェントのパッケージを更新してください。このサーバーはプロトコルのバージョン2を使います。",
    proxy:
      "リバースプロキシを確認してください。WebSocketをすぐに転送し、無通信の接続を60秒より長く維持する必要があります。",
    repeated:
      "同じフレームが2回届きました。リクエストを繰り返すプロキシがないか確認してください。エージェントは自動的に再接続します。",
    size: "エージェントが一度に送る量が多すぎます。タスクの引数と結果を短くするか、エージェントを更新してください。",
    other: "エージェントのパッケージを更新してください。再び拒否される場合は、上の文を報告してください。"
  },
  deleteQuestion: (name: string) => `エージェント「${name}」を削除しますか？`,
  deleteHint: "トークンは失効し、接続は閉じられ、未完了のコマンドは取り消されます。タスクは残ります。"
}
