import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const schedules = {
  title: common.schedules,
  tabs: { schedules: common.schedules, misfires: "Verpasste Ausführungen", schedulers: common.schedulers },
  tabsLabel: "Teile dieser Seite",
  search: "Zeitplan suchen",
  filter: common.status,
  allStates: common.all,
  filters: {
    active: "Aktiv",
    paused: common.paused,
    disabled: "Deaktiviert",
    quarantined: "In Quarantäne",
    failing: "Mit Fehlern",
    drifted: "Abweichend"
  },
  states: {
    active: common.active,
    paused: common.paused,
    disabled: "Deaktiviert",
    quarantined: "In Quarantäne"
  },
  stateHints: {
    active: "Wird zu seinen Ticks ausgelöst.",
    paused:
      "Wird erst wieder ausgelöst, wenn er fortgesetzt wird. Sein Nachholen entscheidet dann über die Ticks dazwischen.",
    disabled: "Wird erst wieder ausgelöst, wenn er aktiviert wird. Ticks dazwischen werden nicht nachgeholt.",
    quarantined: "Wird nicht ausgelöst, bis seine Quarantäne endet. Seine Seite nennt den Grund und was sie beendet."
  },
  breaker: {
    counting: (failures: string, threshold: string) => `${failures} von ${threshold} Fehlern`,
    countingHint: (threshold: string) =>
      `So oft schlugen seine neuesten Auslösungen hintereinander fehl. Bei ${threshold} deaktiviert ihn der Schutzschalter.`,
    tripped: "Schutzschalter ausgelöst",
    trippedHint:
      "Zu viele Auslösungen schlugen hintereinander fehl; der Schutzschalter hat ihn deaktiviert. Beim Aktivieren beginnt die Zählung neu."
  },
  drifted: "Abweichend",
  driftedHint:
    "Seine Definition weicht von dem ab, was seine Quelle zuletzt geschrieben hat. Der nächste Import hebt das auf.",
  columns: {
    name: common.schedule,
    fires: "Letzte Auslösungen",
    when: "Wann",
    next: "Nächster Tick",
    state: common.status
  },
  noFires: "Noch keine Auslösungen",
  firesElsewhere: "meldet nur verpasste Ausführungen",
  firesElsewhereHint: "Ein anderer Scheduler löst ihn aus; svc verzeichnet daher nur verpasste Ausführungen.",
  firedBy: (scheduler: string) => `durch ${scheduler}`,
  strip: (count: Count, failed: string) =>
    plural(count, `Letzte Auslösung, ${failed} fehlgeschlagen`, `Letzte # Auslösungen, ${failed} fehlgeschlagen`),
  noNext: "keiner",
  next: {
    unknown: "Sein Scheduler nennt ihn nicht",
    notFiring: "Er wird derzeit nicht ausgelöst"
  },
  more: (count: string) => `${count} weitere anzeigen`,
  truncated: (count: string) => `Die ersten ${count} Zeitpläne werden angezeigt. Alle nennt svc schedules list.`,
  none: "Noch keine Zeitpläne",
  noneHint:
    "Erstellen Sie hier einen, importieren Sie eine Datei, oder verbinden Sie einen Agenten, dessen Engine einen eigenen Scheduler hat.",
  noMatch: "Keine passenden Zeitpläne",
  noMatchHint: "Ändern Sie den Text oder den Status.",
  clear: common.showAll,
  families: {
    waiting: common.waiting,
    running: "Gesendet",
    succeeded: "Erfolgreich",
    failed: common.failed,
    unknown: common.outcomeUnknown,
    stopped: "Nicht gelaufen"
  },
  statuses: {
    pending: "Wartet auf das Nachholen",
    accepted: "Befehl erteilt",
    delivered: "An den Agenten gesendet",
    buffered: "Wartet auf einen Agenten",
    buffer_stale: "Überholt",
    buffer_expired: "Zu lange gewartet",
    acked_success: "Eingereicht",
    acked_failed: "Vom Agenten abgelehnt",
    failed: "Nie gesendet",
    operator_skipped: "Geklärt: nicht gelaufen",
    terminal_completed: "Geklärt: gelaufen oder möglicherweise gelaufen",
    terminal_failed: common.failed,
    terminal_cancelled: "Abgebrochen",
    terminal_timeout: common.outcomeUnknown
  },
  statusHints: {
    pending: "Ein verpasster Tick, der nachgeholt wird. Er wartet, bis er an der Reihe ist.",
    accepted: "Sein Befehl ist erteilt und noch nicht gesendet.",
    delivered: "Sein Befehl wurde an den Agenten gesendet, der noch nicht geantwortet hat.",
    buffered: "Kein Agent seiner Engine war verbunden. Er wird ausgelöst, sobald sich einer verbindet.",
    buffer_stale:
      "Während er auf einen Agenten wartete, wurde der Zeitplan geändert, deaktiviert oder gelöscht. Er wird nicht mehr ausgelöst.",
    buffer_expired:
      "Er wartete länger auf einen Agenten, als der Server erlaubt, und wird nicht mehr ausgelöst. Der Administrator des Servers kann die Grenze erhöhen.",
    acked_success: "Der Agent hat den Task eingereicht.",
    acked_failed: "Der Agent hat es abgelehnt, den Task einzureichen, oder konnte es nicht.",
    failed: "Sein Befehl wurde nie gesendet; der Task wurde also nicht eingereicht.",
    operator_skipped: "Ein Benutzer hat festgestellt, dass sein Task nicht gelaufen ist.",
    terminal_completed: "Ein Benutzer hat festgestellt, dass sein Task gelaufen ist oder gelaufen sein kann.",
    terminal_failed: "Er ist fehlgeschlagen.",
    terminal_cancelled: "Sein Befehl wurde abgebrochen oder sein Agent gelöscht.",
    terminal_timeout:
      "Er wurde gesendet, und der Agent hat nicht rechtzeitig geantwortet. Ob sein Task eingereicht wurde, ist unbekannt."
  },
  misfires: {
    title: "Verpasste Ausführungen",
    none: "Keine verpassten Ausführungen",
    noneHint:
      "Eine verpasste Ausführung ist ein Tick, der nicht innerhalb seiner Karenzzeit ausgelöst wurde. Jede erscheint hier mit ihrer Ursache.",
    schedule: common.schedule,
    tick: "Tick",
    slots: "Ticks",
    late: "Verspätung",
    grace: "Karenzzeit",
    cause: "Ursache",
    detected: "Bemerkt",
    causes: {
      brain_down: "Der Server lief nicht",
      scheduler_down: "Der Scheduler lief nicht",
      no_agent: "Kein Agent verbunden",
      paused: common.paused,
      disabled: "Deaktiviert",
      quarantined: "In Quarantäne",
      lease_lost: "Der auslösende Prozess wurde beendet",
      clock_step: "Die Uhr wurde gestellt, oder der Rechner schlief",
      external_scheduler_silent: "Sein Scheduler hat ihn nicht ausgelöst",
      previous_not_started: "Der vorige Job hat nicht begonnen",
      late: "Zu spät ausgelöst"
    }
  },
  page: {
    back: "Alle Zeitpläne",
    facts: common.details,
    engine: common.engine,
    task: common.task,
    queue: common.queue,
    ownQueue: "die des Tasks",
    scheduler: "Ausgelöst von",
    source: common.source,
    lastRun: "Letzter ausgelöster Tick",
    runs: "Auslösungen insgesamt",
    catchUp: "Verpasste Ticks",
    jitter: "Jitter",
    grace: "Karenzzeit",
    defaultGrace: "Standard des Servers",
    unknownOutcome: "Unbekanntes Ergebnis",
    skipped: "Ausgelassen, 24 h",
    created: "Erstellt",
    changed: "Geändert",
    externalId: "ID bei seinem Scheduler",
    values: common.arguments,
    hidden: "Ihre Rolle darf die Argumente nicht sehen.",
    ticks: "Nächste Ticks",
    noTicks: "Es folgt kein Tick mehr.",
    inactiveTicks: "Wann er ausgelöst würde. Derzeit wird er nicht ausgelöst.",
    foreignTicks:
      "Nach den Regeln von svc. Sein Scheduler entscheidet und kann abweichen, wenn die Uhr umgestellt wird.",
    yours: "Ihre Zeitzone",
    itsOwn: (zone: string) => `Seine Zeitzone, ${zone}`,
    jitterUpTo: (length: string) => `bis zu ${length} später`,
    bothZones: (zone: string) => `Ihre Zeitzone und seine: ${zone}`,
    fires: "Auslösungen",
    noFires: "Noch keine Auslösungen",
    noFiresHint: "Sein nächster Tick steht auf dieser Seite. Lösen Sie ihn aus, um seinen Task jetzt einzureichen.",
    foreignFires:
      "Ein anderer Scheduler löst ihn aus; svc hat daher keine Auslösungen. Verpasste Ausführungen stehen unten.",
    tick: "Tick",
    fired: "Ausgelöst nach",
    firedHint: "Vom Tick bis zu dem Moment, in dem der Server die Auslösung verzeichnete.",
    latency: "Agent brauchte",
    outcome: common.outcome,
    command: common.command,
    openTask: common.openTheTask,
    byPerson: "von einem Benutzer ausgelöst"
  },
  catchUps: {
    skip: "Auslassen",
    fire_one_missed: "Den neuesten auslösen",
    fire_all_missed: "Alle auslösen"
  },
  unknownOutcomes: {
    continue: "Wird weiter ausgelöst",
    quarantine: "Geht in Quarantäne"
  },
  operations: {
    enable: common.enable,
    disable: common.disable,
    create: common.create,
    update: "Ändern",
    delete: common.delete,
    trigger: "Auslösen"
  },
  schedulers: {
    title: common.schedulers,
    hint:
      "Scheduler Ihrer Engines wie celery-beat lösen eigene Zeitpläne aus. Agenten veröffentlichen diese Zeitpläne und führen Ihre Aktionen daran aus.",
    none: "Keine Scheduler von Engines",
    noneHint:
      "svc löst die Zeitpläne des Projekts selbst aus. Ein Scheduler erscheint hier, sobald ein Agent seine Zeitpläne veröffentlicht.",
    byBrain: "Der Server löst aus.",
    programs: (firing: Count, standby: string) =>
      plural(
        firing,
        `# Scheduler-Programm löst aus, ${standby} in Bereitschaft.`,
        `# Scheduler-Programme lösen aus, ${standby} in Bereitschaft.`
      ),
    nothingFires: "Im Moment wird nichts ausgelöst.",
    name: "Scheduler",
    agent: "Veröffentlicht von",
    state: common.status,
    live: "Verbunden",
    away: "Nicht verbunden",
    can: "Kann",
    listOnly: "nur auflisten",
    count: "Zeitpläne",
    snapshot: "Zuletzt gelesen",
    resync: "Neu einlesen",
    resyncHint:
      "Fragt jeden verbundenen Agenten nach allen Zeitplänen. Ein Zeitplan, der in der Antwort fehlt, wird hier gelöscht.",
    requested: (count: Count, schedulers: string) =>
      plural(
        count,
        `# Agent gefragt, für ${schedulers}. Die Antwort kommt innerhalb von Sekunden.`,
        `# Agenten gefragt, für ${schedulers}. Die Antworten kommen innerhalb von Sekunden.`
      ),
    noneRequested:
      "Kein verbundener Agent veröffentlicht Zeitpläne. Starten Sie den Prozess eines Agenten und versuchen Sie es erneut."
  },
  actions: {
    enable: common.enable,
    disable: common.disable,
    pause: common.pause,
    resume: common.resume,
    trigger: "Jetzt auslösen",
    hints: {
      enable: "Er beginnt mit seinem nächsten Tick. Nichts wird nachgeholt.",
      disable: "Er wird nicht ausgelöst, bis er aktiviert wird.",
      pause:
        "Er wird nicht ausgelöst, bis er fortgesetzt wird. Sein Nachholen entscheidet dann über die Ticks dazwischen.",
      resume: "Sein Nachholen entscheidet über die Ticks, die während der Pause vergingen."
    },
    triggerQuestion: (name: string) => `Den Task von ${name} jetzt einreichen?`,
    triggerHint: "Der Task läuft einmal, jetzt. Es wird keine Auslösung verzeichnet, und der nächste Tick bleibt.",
    triggerHintForeign:
      "Der Agent bittet seinen Scheduler, den Task einmal jetzt auszuführen. Der nächste Lauf bleibt.",
    deleteQuestion: common.deleteQuestion,
    deleteHint:
      "Er wird nie wieder ausgelöst. Seine Auslösungen bleiben, bis ihre Aufbewahrung endet. Enthält seine Quelle ihn noch, erstellt der nächste Import ihn erneut.",
    deleteHintForeign:
      "Der Agent löscht ihn bei seinem eigenen Scheduler. Hier verschwindet er mit dem nächsten Snapshot."
  },
  actionNotices: {
    enable: (name: string) => `Aktivieren: ${name}`,
    disable: (name: string) => `Deaktivieren: ${name}`,
    pause: (name: string) => `Pausieren: ${name}`,
    resume: (name: string) => `Fortsetzen: ${name}`,
    trigger: (name: string) => `Auslösen: ${name}`,
    delete: (name: string) => `Löschen: ${name}`,
    create: (name: string) => `Erstellen: ${name}`,
    update: (name: string) => `Ändern: ${name}`
  },
  operationStatuses: {
    pending: common.waiting,
    sent: "An den Agenten gesendet",
    accepted: "Ausgeführt, noch nicht veröffentlicht",
    succeeded: common.succeededTask,
    failed: common.failed,
    indeterminate: common.outcomeUnknown,
    expired: "Nie gesendet"
  },
  operationHints: {
    pending: "Der Befehl wartet auf den Agenten.",
    sent: "Der Agent hat den Befehl und noch nicht geantwortet.",
    accepted: "Der Agent hat es ausgeführt. Seine nächste Veröffentlichung zeigt die Wirkung.",
    succeeded: "Der Agent hat es ausgeführt.",
    failed: "Der Zeitplan ist unverändert.",
    indeterminate: "Es kann ausgeführt worden sein. Prüfen Sie den Scheduler selbst, bevor Sie es wiederholen.",
    expired: "Der Zeitplan ist unverändert. Wiederholen Sie es, sobald der Agent verbunden ist."
  },
  foreign: {
    owner: (scheduler: string) =>
      `${scheduler} besitzt diesen Zeitplan und löst ihn aus. Aktionen hier sind Anfragen an den Agenten, der ihn veröffentlicht.`,
    can: (operations: string) => `Möglich sind: ${operations}.`,
    nothing:
      "Derzeit ist nichts möglich: Kein verbundener Agent veröffentlicht ihn, oder sein Scheduler kann nur auflisten. Ändern Sie ihn dort, wo er definiert ist."
  },
  form: {
    create: "Neuer Zeitplan",
    createTitle: "Neuer Zeitplan",
    editTitle: common.editTitle,
    ownHint: "svc löst ihn aus.",
    foreignHint: "Der eigene Scheduler der Engine löst ihn aus. Ihr Agent wird gebeten, ihn zu erstellen.",
    fields: {
      name: common.name,
      engine: common.engine,
      scheduler: "Scheduler",
      kind: common.kind,
      expression: "Ausdruck",
      timezone: common.timeZone,
      task_name: common.task,
      queue: "Queue (optional)",
      args: "Positionsargumente",
      kwargs: common.namedArguments,
      catch_up: "Verpasste Ticks",
      on_unknown_outcome: "Unbekanntes Ergebnis",
      jitter_seconds: "Jitter",
      grace_seconds: "Karenzzeit (optional)",
      is_enabled: "Anfangsstatus"
    },
    kinds: { cron: "Cron", interval: "Intervall", clocked: "Einmal" },
    expressionHints: {
      cron: "Minute, Stunde, Tag, Monat, Wochentag: 30 9 * * MON-FRI",
      interval: "Eine Dauer: 30 s, 5 min, 1 h 30 min",
      clocked: "Datum und Uhrzeit: 2027-12-24T18:00"
    },
    enabledChoices: { true: "Aktiviert", false: "Deaktiviert" },
    valuesHint: "JSON. Alle Ziffern von Zahlen bleiben erhalten.",
    invalid: {
      args: "Geben Sie ein JSON-Array ein, etwa [42].",
      kwargs: "Geben Sie ein JSON-Objekt ein, etwa {\"day\": 1}.",
      json: "Die Argumente sind kein gültiges JSON. Korrigieren Sie sie und speichern Sie dann.",
      lossy:
        "Einige Werte sind nur zum Teil zu sehen: Ein Geheimnis ist verdeckt, oder ein Teil fehlt. Tragen Sie die ganzen Werte ein."
    },
    preview: "Vorschau",
    previewHint: "Geben Sie einen Ausdruck ein, um zu sehen, wann er ausgelöst wird.",
    noAgent: (engine: string, wait: string) =>
      `Kein verbundener Agent führt ${engine} aus. Jede Ausführung wartet ${wait} auf einen; danach gilt sie als verpasst.`,
    noConsumer: (queue: string) =>
      `Kein Worker, der online ist, nimmt Tasks aus der Queue ${queue}. Sie warten dort, bis einer es tut.`,
    changes: "Änderungen",
    noChange: "Noch ist nichts geändert.",
    cadenceHint:
      "Der geänderte Takt beginnt mit dem nächsten Tick nach dem Speichern. Ticks davor werden nicht nachgeholt.",
    driftHint: (source: string) =>
      `Seine Definition stammt aus ${source}. Der nächste Import hebt Ihre Änderung auf; bis dahin wird er als abweichend gezeigt.`
  },
  recovery: {
    title: "Quarantäne",
    meaning:
      "Er wird nicht ausgelöst, bis die Quarantäne endet. Sein Nachholen entscheidet dann über die Ticks dazwischen.",
    reasons: {
      definition_invalid: "In Quarantäne: Seine Definition lässt sich nicht auswerten",
      two_owners: "In Quarantäne: Zwei Agenten veröffentlichen ihn verschieden",
      outcome_unknown: "In Quarantäne: Das Ergebnis einer Auslösung ist unbekannt"
    },
    steps: {
      definition_invalid:
        "Bearbeiten oder importieren Sie den Zeitplan mit einer Definition, die sich auswerten lässt. Das beendet die Quarantäne, und er beginnt mit dem nächsten Tick.",
      two_owners:
        "Gleichen Sie beide Definitionen an, oder beenden Sie einen der Agenten. Die Quarantäne endet von selbst, sobald eine Definition übrig ist.",
      outcome_unknown:
        "Stellen Sie fest, ob der Task der Auslösung gelaufen ist, etwa im Log der Engine. Geben Sie es dann hier an. Die Auslösung wird nie wiederholt."
    },
    resolve: "Klären",
    resolveFire: "Auslösung klären",
    resolveHint: "Stellen Sie fest, ob ihr Task gelaufen ist, und geben Sie es an. Die Auslösung wird nie wiederholt.",
    resolveTitle: (tick: string) => `Auslösung von ${tick} klären`,
    resolveExplained:
      "Die Auslösung wurde gesendet, und ihr Ergebnis ist unbekannt. Ihre Antwort ist endgültig, und nichts wird erneut gesendet. Um den Task jetzt auszuführen, lösen Sie den Zeitplan aus.",
    commandIs: (status: string) =>
      `Ihr Befehl: ${status}. Ändert sich das vor Ihrer Antwort, wird die Antwort abgelehnt.`,
    question: "Was haben Sie festgestellt?",
    choices: { yes: "Der Task ist gelaufen oder kann gelaufen sein", no: "Der Task ist nicht gelaufen" },
    choiceHints: {
      yes: "Die Auslösung gilt als geklärt: gelaufen.",
      no: "Die Auslösung gilt als geklärt: nicht gelaufen."
    },
    disableAfter: "Den Zeitplan auch deaktivieren",
    disableAfterHint: "Sonst wird er weiter ausgelöst, sobald keine andere Auslösung zu klären ist.",
    evidenceFireHint: "Sie hat keinen Befehl und wartet. Sie können sie klären, damit sie nicht gesendet wird.",
    legacy: "Scheduler ohne Fencing",
    legacySummary:
      "Für Auslösungen, die svc nicht verzeichnet oder gesendet hat, und für Scheduler, die keine Fencing-Nummern kennen",
    evidence: "Eine Auslösung, die svc nicht verzeichnet oder nicht gesendet hat",
    evidenceHint:
      "Ein beendeter Befehl dieses Zeitplans, dessen Auslösung nicht verzeichnet ist, oder eine verzeichnete Auslösung ohne Befehl. Ihre Antwort ist endgültig: Ihr Tick wird nie wieder ausgelöst.",
    resolveEvidence: "Beleg klären",
    fireId: "ID der Auslösung",
    evidenceKind: "Beleg",
    evidenceKinds: {
      command: "Ein Befehl, dessen Auslösung nicht verzeichnet ist",
      fire: "Eine verzeichnete Auslösung ohne Befehl"
    },
    evidenceId: "ID des Befehls oder der Zeile der Auslösung",
    grant: "Erlaubnis für einen Scheduler ohne Fencing",
    grantHint:
      "Ein solcher Scheduler kann eine alte Sicht nicht von einer neuen unterscheiden. Mit der Erlaubnis darf er diesen Zeitplan bis zur nächsten Aktion daran auslösen.",
    granted: "Die Erlaubnis ist erteilt.",
    notGranted: "Kein solcher Scheduler darf ihn auslösen.",
    giveGrant: "Erlaubnis erteilen",
    revokeGrant: "Erlaubnis entziehen",
    quiesced: "Keine Replik jenes Schedulers löst jetzt aus, und jede hat die Zeitpläne neu gelesen",
    quiescedHint: "Sonst kann ein Tick zweimal ausgelöst werden."
  },
  import: {
    open: "Importieren",
    title: "Zeitpläne importieren",
    hint:
      "Ein Snapshot enthält die Zeitpläne einer Quelle, etwa eines Git-Repositorys. Er wird zuerst verglichen; geschrieben wird erst beim Import, und zwar alles oder nichts.",
    file: common.file,
    text: "Snapshot",
    textHint:
      "JSON: eine Liste von Zeitplänen oder ein Objekt mit schedules, mode und source_filter. Für YAML dient svc schedules import.",
    invalid: "Geben Sie eine JSON-Liste von Zeitplänen ein.",
    mode: "Modus",
    modes: { upsert: "Einfügen und ändern", replace: "Quelle ersetzen" },
    modeHints: {
      upsert: "Nichts wird gelöscht.",
      replace: "Zeitpläne der Quelle, die im Snapshot fehlen, werden gelöscht."
    },
    source: common.source,
    sourceHint: "Die Quelle aller Zeitpläne des Snapshots. Ersetzen braucht sie.",
    compare: "Vergleichen",
    submit: "Importieren",
    refused: "Der Snapshot wird abgelehnt",
    difference: "Was der Import ändern würde",
    nothing: "Nichts würde sich ändern.",
    counts: (inserted: string, updated: string, deleted: string) =>
      `${inserted} neu, ${updated} geändert, ${deleted} gelöscht`,
    unchanged: (count: string) => `${count} unverändert`,
    kinds: { inserted: "neu", updated: "geändert", deleted: "gelöscht" },
    question: "Diesen Snapshot importieren?",
    questionHint:
      "Änderungen von Benutzern an diesen Zeitplänen werden aufgehoben. Geänderte Takte beginnen mit dem nächsten Tick.",
    done: "Importiert",
    adminsOnly: "Nur Administratoren importieren Zeitpläne",
    adminsOnlyHint: "Fragen Sie einen Administrator des Projekts, oder bitten Sie um die Rolle."
  },
  dst: {
    gap: "verschoben",
    gapHint:
      "Die Uhr wird vorgestellt: Diese Ortszeit gibt es an dem Tag nicht, deshalb wird er im ersten Moment danach ausgelöst.",
    overlap: "doppelt",
    overlapHint: "Die Uhr wird zurückgestellt: Diese Ortszeit gibt es an dem Tag zweimal.",
    next: (moment: string) => `Nächste Zeitumstellung: ${moment}.`
  }
}
