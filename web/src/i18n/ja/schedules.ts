import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const schedules = {
  title: common.schedules,
  tabs: { schedules: common.schedules, misfires: "実行漏れ", schedulers: common.schedulers },
  tabsLabel: "このページの各部",
  search: "スケジュールを検索",
  filter: common.status,
  allStates: common.all,
  filters: {
    active: "有効",
    paused: common.paused,
    disabled: "無効",
    quarantined: "隔離中",
    failing: "失敗中",
    drifted: "差異あり"
  },
  states: {
    active: common.active,
    paused: common.paused,
    disabled: "無効",
    quarantined: "隔離中"
  },
  stateHints: {
    active: "各ティックで実行します。",
    paused: "再開されるまで実行しません。再開時に、その間のティックの扱いはキャッチアップの設定で決まります。",
    disabled: "有効にされるまで実行されません。その間のティックは後から実行されません。",
    quarantined: "隔離が終わるまで実行しません。理由と解除方法はこのスケジュールのページにあります。"
  },
  breaker: {
    counting: (failures: string, threshold: string) => `失敗${threshold}回中${failures}回`,
    countingHint: (threshold: string) =>
      `直近の実行がこの回数だけ続けて失敗しました。${threshold}回でサーキットブレーカーが無効にします。`,
    tripped: "ブレーカー作動中",
    trippedHint: "実行が続けて失敗したため、サーキットブレーカーが無効にしました。有効にすると数え直します。"
  },
  drifted: "差異あり",
  driftedHint: "定義が、ソースが最後に書き込んだ内容と異なります。次のインポートで元に戻ります。",
  columns: {
    name: common.schedule,
    fires: "最近の実行",
    when: "日時",
    next: "次のティック",
    state: common.status
  },
  noFires: "実行なし",
  firesElsewhere: "実行漏れのみ報告",
  firesElsewhereHint: "別のスケジューラーが実行します。svcは実行漏れのみを記録します。",
  firedBy: (scheduler: string) => `${scheduler}による`,
  strip: (count: Count, failed: string) => `最近の実行${count.text}回、うち失敗${failed}回`,
  noNext: "なし",
  next: {
    unknown: "スケジューラーが報告していません",
    notFiring: "現在は実行しません"
  },
  more: (count: string) => `さらに${count}件を表示`,
  truncated: (count: string) => `最初の${count}件を表示しています。すべてはsvc schedules listで確認できます。`,
  none: "スケジュールはまだありません",
  noneHint:
    "ここで作成するか、ファイルをインポートするか、独自のスケジューラーを持つエンジンのエージェントを接続してください。",
  noMatch: "該当するスケジュールはありません",
  noMatchHint: "テキストまたは状態を変更してください。",
  clear: common.showAll,
  families: {
    waiting: common.waiting,
    running: "送信済み",
    succeeded: "成功",
    failed: common.failed,
    unknown: common.outcomeUnknown,
    stopped: "未実行"
  },
  statuses: {
    pending: "キャッチアップ待ち",
    accepted: "コマンド発行済み",
    delivered: "エージェントに送信済み",
    buffered: "エージェント待ち",
    buffer_stale: "無効化済み",
    buffer_expired: "待機期限切れ",
    acked_success: "投入済み",
    acked_failed: "エージェントが拒否",
    failed: "未送信",
    operator_skipped: "解決済み：実行されず",
    terminal_completed: "解決済み：実行された可能性あり",
    terminal_failed: common.failed,
    terminal_cancelled: "キャンセル",
    terminal_timeout: common.outcomeUnknown
  },
  statusHints: {
    pending: "逃したティックで、キャッチアップにより実行されます。順番を待っています。",
    accepted: "コマンドは発行されましたが、まだ送信されていません。",
    delivered: "コマンドはエージェントに送信されましたが、まだ応答がありません。",
    buffered: "エンジンのエージェントが接続していませんでした。接続すると実行します。",
    buffer_stale: "エージェントを待つ間に、スケジュールが変更、無効化または削除されました。もう実行しません。",
    buffer_expired:
      "サーバーの上限を超えてエージェントを待ったため、もう実行されません。上限はサーバーの管理者が引き上げられます。",
    acked_success: "エージェントがタスクを投入しました。",
    acked_failed: "エージェントがタスクの投入を拒否したか、投入できませんでした。",
    failed: "コマンドが送信されなかったため、タスクは投入されていません。",
    operator_skipped: "タスクが実行されなかったことをユーザーが確認しました。",
    terminal_completed: "タスクが実行された、または実行された可能性があることをユーザーが確認しました。",
    terminal_failed: "失敗しました。",
    terminal_cancelled: "コマンドがキャンセルされたか、エージェントが削除されました。",
    terminal_timeout:
      "送信されましたが、エージェントが時間内に応答しませんでした。タスクが投入されたかどうかは不明です。"
  },
  misfires: {
    title: "実行漏れ",
    none: "実行漏れはありません",
    noneHint: "実行漏れとは、猶予時間内に実行されなかったティックです。原因とともにここに表示されます。",
    schedule: common.schedule,
    tick: "ティック",
    slots: "ティック数",
    late: "遅れ",
    grace: "猶予",
    cause: "原因",
    detected: "検出",
    causes: {
      brain_down: "サーバーが停止していた",
      scheduler_down: "スケジューラーが停止していた",
      no_agent: "接続中のエージェントなし",
      paused: common.paused,
      disabled: "無効",
      quarantined: "隔離中",
      lease_lost: "実行プロセスが停止した",
      clock_step: "時計の変更またはマシンのスリープ",
      external_scheduler_silent: "スケジューラーが実行しなかった",
      previous_not_started: "前のジョブが始まっていない",
      late: "実行の遅れ"
    }
  },
  page: {
    back: "すべてのスケジュール",
    facts: common.details,
    engine: common.engine,
    task: common.task,
    queue: common.queue,
    ownQueue: "タスク既定",
    scheduler: "実行元",
    source: common.source,
    lastRun: "最後に実行したティック",
    runs: "実行の合計",
    catchUp: "逃したティック",
    jitter: "ジッター",
    grace: "猶予",
    defaultGrace: "サーバーの既定値",
    unknownOutcome: "結果不明の場合",
    skipped: "スキップ（24時間）",
    created: "作成",
    changed: "変更",
    externalId: "スケジューラーでのID",
    values: common.arguments,
    hidden: "あなたのロールでは引数を表示できません。",
    ticks: "次のティック",
    noTicks: "残りのティックはありません。",
    inactiveTicks: "実行するはずの時刻です。現在は実行しません。",
    foreignTicks: "svcの規則による時刻です。実際はスケジューラーが決め、時計の切り替え時に異なることがあります。",
    yours: "あなたのゾーン",
    itsOwn: (zone: string) => `スケジュールのゾーン、${zone}`,
    jitterUpTo: (length: string) => `最大${length}遅れ`,
    bothZones: (zone: string) => `あなたとスケジュールのゾーン：${zone}`,
    fires: "実行",
    noFires: "実行なし",
    noFiresHint: "次のティックはこのページにあります。今すぐタスクを投入するには、手動で実行してください。",
    foreignFires: "別のスケジューラーが実行するため、svcには実行の記録がありません。実行漏れは下にあります。",
    tick: "ティック",
    fired: "実行までの時間",
    firedHint: "ティックから、サーバーが実行を記録するまでの時間です。",
    latency: "エージェントの所要時間",
    outcome: common.outcome,
    command: common.command,
    openTask: common.openTheTask,
    byPerson: "ユーザーが実行"
  },
  catchUps: {
    skip: "実行しない",
    fire_one_missed: "最新の1回を実行",
    fire_all_missed: "すべて実行"
  },
  unknownOutcomes: {
    continue: "実行を続ける",
    quarantine: "隔離する"
  },
  operations: {
    enable: common.enable,
    disable: common.disable,
    create: common.create,
    update: "変更",
    delete: common.delete,
    trigger: "実行"
  },
  schedulers: {
    title: common.schedulers,
    hint:
      "celery-beatなどエンジンのスケジューラーは、独自のスケジュールを実行します。エージェントがそれらを公開し、ここでの操作を実行します。",
    none: "エンジンのスケジューラーはありません",
    noneHint:
      "プロジェクトのスケジュールはsvcが実行します。エージェントがスケジュールを公開すると、ここに表示されます。",
    byBrain: "サーバーが実行しています。",
    programs: (firing: Count, standby: string) => `スケジューラープログラム：実行中${firing.text}、待機中${standby}。`,
    nothingFires: "現在、実行しているものはありません。",
    name: "スケジューラー",
    agent: "公開元",
    state: common.status,
    live: "接続中",
    away: "未接続",
    can: "可能な操作",
    listOnly: "一覧のみ",
    count: "スケジュール数",
    snapshot: "最終読み取り",
    resync: "再読み込み",
    resyncHint:
      "接続中の各エージェントにすべてのスケジュールを要求します。応答にないスケジュールはここから削除されます。",
    requested: (count: Count, schedulers: string) =>
      `${count.text}個のエージェントに${schedulers}を要求しました。応答は数秒以内に届きます。`,
    noneRequested:
      "スケジュールを公開する接続中のエージェントがありません。エージェントのプロセスを起動してから再試行してください。"
  },
  actions: {
    enable: common.enable,
    disable: common.disable,
    pause: common.pause,
    resume: common.resume,
    trigger: "今すぐ実行",
    hints: {
      enable: "次のティックから始まります。過去のティックは実行されません。",
      disable: "有効にされるまで実行しません。",
      pause: "再開されるまで実行しません。その間のティックの扱いはキャッチアップの設定で決まります。",
      resume: "一時停止中に過ぎたティックの扱いはキャッチアップの設定で決まります。"
    },
    triggerQuestion: (name: string) => `${name}のタスクを今すぐ投入しますか？`,
    triggerHint: "タスクが今すぐ1回実行されます。スケジュールの実行としては記録されず、次のティックは変わりません。",
    triggerHintForeign:
      "エージェントがスケジューラーに、タスクを今すぐ1回実行するよう依頼します。次の実行は変わりません。",
    deleteQuestion: common.deleteQuestion,
    deleteHint:
      "二度と実行されません。実行の記録は保存期間が終わるまで残ります。ソースにまだ含まれている場合は、次のインポートで再び作成されます。",
    deleteHintForeign: "エージェントがスケジューラー側で削除します。次のスナップショットでここから消えます。"
  },
  actionNotices: {
    enable: (name: string) => `有効化：${name}`,
    disable: (name: string) => `無効化：${name}`,
    pause: (name: string) => `一時停止：${name}`,
    resume: (name: string) => `再開：${name}`,
    trigger: (name: string) => `実行：${name}`,
    delete: (name: string) => `削除：${name}`,
    create: (name: string) => `作成：${name}`,
    update: (name: string) => `変更：${name}`
  },
  operationStatuses: {
    pending: common.waiting,
    sent: "エージェントに送信済み",
    accepted: "実行済み、公開待ち",
    succeeded: common.succeededTask,
    failed: common.failed,
    indeterminate: common.outcomeUnknown,
    expired: "未送信"
  },
  operationHints: {
    pending: "コマンドはエージェントを待っています。",
    sent: "コマンドはエージェントに届きましたが、まだ応答がありません。",
    accepted: "エージェントが実行しました。次の公開で反映されます。",
    succeeded: "エージェントが実行しました。",
    failed: "スケジュールは変わっていません。",
    indeterminate: "実行された可能性があります。繰り返す前にスケジューラー自体を確認してください。",
    expired: "スケジュールは変わっていません。エージェントが接続してから繰り返してください。"
  },
  foreign: {
    owner: (scheduler: string) =>
      `このスケジュールは${scheduler}が所有し、実行します。ここでの操作は、公開しているエージェントへの依頼です。`,
    can: (operations: string) => `可能な操作：${operations}。`,
    nothing:
      "現在は操作できません。公開する接続中のエージェントがないか、スケジューラーが一覧のみに対応しています。定義元で変更してください。"
  },
  form: {
    create: "新しいスケジュール",
    createTitle: "新しいスケジュール",
    editTitle: common.editTitle,
    ownHint: "svcが実行します。",
    foreignHint: "エンジンのスケジューラーが実行します。作成はエージェントに依頼されます。",
    fields: {
      name: common.name,
      engine: common.engine,
      scheduler: "スケジューラー",
      kind: common.kind,
      expression: "式",
      timezone: common.timeZone,
      task_name: common.task,
      queue: "キュー（任意）",
      args: "位置引数",
      kwargs: common.namedArguments,
      catch_up: "逃したティック",
      on_unknown_outcome: "結果不明の場合",
      jitter_seconds: "ジッター",
      grace_seconds: "猶予（任意）",
      is_enabled: "初期状態"
    },
    kinds: { cron: "Cron", interval: "間隔", clocked: "1回" },
    expressionHints: {
      cron: "分、時、日、月、曜日：30 9 * * MON-FRI",
      interval: "時間の長さ：30 s、5 min、1 h 30 min",
      clocked: "日時：2027-12-24T18:00"
    },
    enabledChoices: { true: "有効", false: "無効" },
    valuesHint: "JSON。数値のすべての桁が保たれます。",
    invalid: {
      args: "JSONの配列を入力してください（例：[42]）。",
      kwargs: "JSONのオブジェクトを入力してください（例：{\"day\": 1}）。",
      json: "引数が正しいJSONではありません。修正してから保存してください。",
      lossy:
        "一部の値は完全には表示されていません（秘密が伏せられているか、省略されています）。完全な値を入力してください。"
    },
    preview: "プレビュー",
    previewHint: "式を入力すると、実行の時刻が表示されます。",
    noAgent: (engine: string, wait: string) =>
      `${engine}を実行するエージェントが接続していません。各実行は${wait}まで接続を待ち、その後は実行漏れになります。`,
    noConsumer: (queue: string) =>
      `キュー${queue}からタスクを取得するオンラインのワーカーがありません。タスクは取得されるまでキューで待ちます。`,
    changes: "変更内容",
    noChange: "まだ変更はありません。",
    cadenceHint: "変更後の周期は、保存後の次のティックから始まります。それより前のティックは実行しません。",
    driftHint: (source: string) =>
      `定義は${source}に由来します。ここでの変更は次のインポートで元に戻り、それまでは差異ありと表示されます。`
  },
  recovery: {
    title: "隔離",
    meaning: "隔離が終わるまで実行しません。その間のティックの扱いはキャッチアップの設定で決まります。",
    reasons: {
      definition_invalid: "隔離中：定義を評価できません",
      two_owners: "隔離中：2つのエージェントが異なる定義を公開しています",
      outcome_unknown: "隔離中：実行の結果が不明です"
    },
    steps: {
      definition_invalid:
        "評価できる定義に編集するか、インポートしてください。隔離が終わり、次のティックから始まります。",
      two_owners:
        "両方の定義を同じにするか、片方のエージェントを停止してください。定義が1つになると隔離は自動で終わります。",
      outcome_unknown:
        "この実行のタスクが実行されたかどうかを、エンジンのログなどで確認し、ここで回答してください。再実行はされません。"
    },
    resolve: "解決する",
    resolveFire: "実行を解決する",
    resolveHint: "タスクが実行されたかどうかを確認し、回答してください。再実行はされません。",
    resolveTitle: (tick: string) => `${tick}の実行を解決する`,
    resolveExplained:
      "実行は送信されましたが、結果が不明です。回答は取り消せず、何も再送されません。今すぐタスクを実行するには、スケジュールを手動で実行してください。",
    commandIs: (status: string) => `コマンド：${status}。回答の前に変わった場合、回答は拒否されます。`,
    question: "確認した結果は？",
    choices: { yes: "タスクは実行された、またはその可能性がある", no: "タスクは実行されなかった" },
    choiceHints: {
      yes: "実行は実行済みとして解決されます。",
      no: "実行は未実行として解決されます。"
    },
    disableAfter: "スケジュールも無効にする",
    disableAfterHint: "無効にしない場合、解決すべき実行がほかになければ実行を続けます。",
    evidenceFireHint: "コマンドがなく、待機しています。解決すると送信されません。",
    legacy: "フェンシングのないスケジューラー",
    legacySummary: "svcが記録または送信しなかった実行と、フェンシング番号を知らないスケジューラーのため",
    evidence: "svcが記録しなかった、または送信しなかった実行",
    evidenceHint:
      "実行が記録されていない、このスケジュールの終了したコマンド、またはコマンドのない記録済みの実行です。回答は取り消せず、そのティックは二度と実行しません。",
    resolveEvidence: "証拠を解決する",
    fireId: "実行のID",
    evidenceKind: "証拠",
    evidenceKinds: { command: "実行が記録されていないコマンド", fire: "コマンドのない記録済みの実行" },
    evidenceId: "コマンドまたは実行の行のID",
    grant: "フェンシングのないスケジューラーへの許可",
    grantHint:
      "そのようなスケジューラーは古い状態と新しい状態を区別できません。許可すると、次の操作までこのスケジュールを実行できます。",
    granted: "許可されています。",
    notGranted: "そのようなスケジューラーは実行できません。",
    giveGrant: "許可する",
    revokeGrant: "許可を取り消す",
    quiesced: "そのスケジューラーのレプリカはどれも実行しておらず、それぞれがスケジュールを再度読み込んだ",
    quiescedHint: "そうでない場合、ティックが2回実行することがあります。"
  },
  import: {
    open: "インポート",
    title: "スケジュールのインポート",
    hint:
      "スナップショットは、Gitリポジトリなど1つのソースのスケジュールです。まず比較され、インポートするまで何も書き込まれません。インポートはすべてか、まったく行われないかです。",
    file: common.file,
    text: "スナップショット",
    textHint:
      "JSON：スケジュールの配列、またはschedules、mode、source_filterを持つオブジェクト。YAMLにはsvc schedules importを使ってください。",
    invalid: "スケジュールのJSON配列を入力してください。",
    mode: "モード",
    modes: { upsert: "挿入と更新", replace: "ソースを置き換え" },
    modeHints: {
      upsert: "何も削除されません。",
      replace: "スナップショットにないソースのスケジュールは削除されます。"
    },
    source: common.source,
    sourceHint: "スナップショットのすべてのスケジュールのソースです。置き換えには必須です。",
    compare: "比較",
    submit: "インポート",
    refused: "スナップショットは拒否されました",
    difference: "インポートの内容",
    nothing: "変更はありません。",
    counts: (inserted: string, updated: string, deleted: string) => `新規${inserted}、変更${updated}、削除${deleted}`,
    unchanged: (count: string) => `変更なし${count}`,
    kinds: { inserted: "新規", updated: "変更", deleted: "削除" },
    question: "このスナップショットをインポートしますか？",
    questionHint: "これらのスケジュールへの手動の変更は元に戻ります。変更された周期は次のティックから始まります。",
    done: "インポートしました",
    adminsOnly: "インポートできるのは管理者だけです",
    adminsOnlyHint: "プロジェクトの管理者に依頼するか、ロールを依頼してください。"
  },
  dst: {
    gap: "移動",
    gapHint: "時計が進む日です。この現地時刻は存在しないため、その直後に実行します。",
    overlap: "重複",
    overlapHint: "時計が戻る日です。この現地時刻は2回あります。",
    next: (moment: string) => `次の時計の切り替え：${moment}。`
  }
}
