export const schedules = {
  title: "Zeitpläne",
  tabs: { schedules: "Zeitpläne", misfires: "Ausgefallene Ticks", schedulers: "Scheduler" },
  tabsLabel: "Teile dieser Seite",
  search: "Zeitplan suchen",
  filter: "Zustand",
  allStates: "Alle",
  filters: {
    active: "Aktiv",
    paused: "Pausiert",
    disabled: "Deaktiviert",
    quarantined: "In Quarantäne",
    failing: "Mit Fehlern",
    drifted: "Abweichend"
  },
  states: {
    active: "Aktiv",
    paused: "Pausiert",
    disabled: "Deaktiviert",
    quarantined: "In Quarantäne"
  },
  stateHints: {
    active: "Er feuert zu seinen Ticks.",
    paused:
      "Er feuert erst wieder, wenn eine Person ihn fortsetzt. Sein Nachholen entscheidet dann über die Ticks dazwischen.",
    disabled: "Er feuert erst wieder, wenn eine Person ihn aktiviert. Ticks dazwischen werden nicht nachgeholt.",
    quarantined: "Er feuert nicht, bis seine Quarantäne endet. Seine Seite nennt den Grund und was sie beendet."
  },
  breaker: {
    counting: (failures: string, threshold: string) => `${failures} von ${threshold} Fehlern`,
    countingHint: (threshold: string) =>
      `So viele seiner neuesten Auslösungen schlugen hintereinander fehl. Bei ${threshold} deaktiviert ihn der Circuit Breaker.`,
    tripped: "Circuit Breaker hat ausgelöst",
    trippedHint:
      "Zu viele Auslösungen schlugen hintereinander fehl; der Circuit Breaker hat ihn deaktiviert. Beim Aktivieren beginnt die Zählung neu."
  },
  drifted: "Abweichend",
  driftedHint:
    "Seine Definition weicht von dem ab, was seine Quelle zuletzt geschrieben hat. Der nächste Import hebt das auf.",
  columns: {
    name: "Zeitplan",
    fires: "Letzte Auslösungen",
    when: "Wann",
    next: "Nächster Tick",
    state: "Zustand"
  },
  noFires: "Noch keine Auslösung",
  firesElsewhere: "meldet nur ausgefallene Ticks",
  firesElsewhereHint: "Ein anderer Scheduler feuert ihn: svc verzeichnet ausgefallene Ticks, aber keine Auslösungen.",
  firedBy: (scheduler: string) => `durch ${scheduler}`,
  strip: (count: string, failed: string) => `Letzte ${count} Auslösungen, davon ${failed} fehlgeschlagen`,
  noNext: "keiner",
  next: {
    unknown: "Sein Scheduler nennt ihn nicht",
    held: "Er feuert derzeit nicht"
  },
  more: (count: string) => `${count} weitere anzeigen`,
  cut: (count: string) => `Die ersten ${count} Zeitpläne werden angezeigt. Alle nennt svc schedules list.`,
  none: "Noch kein Zeitplan",
  noneHint:
    "Erstellen Sie hier einen, importieren Sie eine Datei, oder verbinden Sie einen Agenten, dessen Engine einen eigenen Scheduler hat.",
  noMatch: "Kein passender Zeitplan",
  noMatchHint: "Ändern Sie den Text oder den Zustand.",
  clear: "Alle anzeigen",
  families: {
    waiting: "Wartet",
    running: "Gesendet",
    succeeded: "Erfolgreich",
    failed: "Fehlgeschlagen",
    unknown: "Ergebnis unbekannt",
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
    terminal_failed: "Fehlgeschlagen",
    terminal_cancelled: "Abgebrochen",
    terminal_timeout: "Ergebnis unbekannt"
  },
  statusHints: {
    pending: "Ein verpasster Tick, der nachgeholt wird. Er wartet, bis er an der Reihe ist.",
    accepted: "Sein Befehl ist erteilt und noch nicht gesendet.",
    delivered: "Sein Befehl wurde an den Agenten gesendet, der noch nicht geantwortet hat.",
    buffered: "Kein Agent seiner Engine war verbunden. Er feuert, sobald sich einer verbindet.",
    buffer_stale:
      "Während er auf einen Agenten wartete, wurde der Zeitplan geändert, deaktiviert oder gelöscht. Er feuert nicht mehr.",
    buffer_expired: "Er wartete länger als SVC_SCHEDULE_BUFFER_SECONDS auf einen Agenten. Er feuert nicht mehr.",
    acked_success: "Der Agent hat den Task eingereicht.",
    acked_failed: "Der Agent hat den Task nicht eingereicht.",
    failed: "Sein Befehl wurde nie gesendet; der Task wurde also nicht eingereicht.",
    operator_skipped: "Eine Person hat festgestellt, dass sein Task nicht gelaufen ist.",
    terminal_completed: "Eine Person hat festgestellt, dass sein Task gelaufen ist oder gelaufen sein kann.",
    terminal_failed: "Er ist fehlgeschlagen.",
    terminal_cancelled: "Sein Befehl wurde abgebrochen oder sein Agent gelöscht.",
    terminal_timeout:
      "Er wurde gesendet, und der Agent hat nicht rechtzeitig geantwortet. Ob sein Task eingereicht wurde, ist unbekannt."
  },
  misfires: {
    title: "Ausgefallene Ticks",
    none: "Kein ausgefallener Tick",
    noneHint: "Ticks, die nicht innerhalb ihrer Karenzzeit feuern, stehen hier mit ihrer Ursache.",
    schedule: "Zeitplan",
    tick: "Tick",
    slots: "Ticks",
    late: "Verspätung",
    grace: "Karenzzeit",
    cause: "Ursache",
    detected: "Bemerkt",
    causes: {
      brain_down: "Der Brain-Server lief nicht",
      scheduler_down: "Der Scheduler lief nicht",
      no_agent: "Kein Agent verbunden",
      paused: "Pausiert",
      disabled: "Deaktiviert",
      quarantined: "In Quarantäne",
      lease_lost: "Der feuernde Prozess wurde beendet",
      clock_step: "Die Uhr wurde gestellt, oder der Rechner schlief",
      external_scheduler_silent: "Sein Scheduler hat nicht gefeuert",
      previous_not_started: "Der vorige Job hat nicht begonnen",
      late: "Zu spät gefeuert"
    }
  },
  page: {
    back: "Alle Zeitpläne",
    facts: "Fakten",
    engine: "Engine",
    task: "Task",
    queue: "Queue",
    ownQueue: "die des Tasks",
    scheduler: "Gefeuert von",
    source: "Quelle",
    lastRun: "Letzter gefeuerter Tick",
    runs: "Auslösungen insgesamt",
    catchUp: "Verpasste Ticks",
    jitter: "Jitter",
    grace: "Karenzzeit",
    defaultGrace: "laut Einstellung",
    unknownOutcome: "Unbekanntes Ergebnis",
    skipped: "Ausgefallen, 24 h",
    created: "Erstellt",
    changed: "Geändert",
    externalId: "ID bei seinem Scheduler",
    values: "Argumente",
    hidden: "Ihre Rolle umfasst die Argumente nicht.",
    ticks: "Nächste Ticks",
    noTicks: "Es folgt kein Tick mehr.",
    heldTicks: "Wann er feuern würde. Derzeit feuert er nicht.",
    foreignTicks:
      "Nach den Regeln von svc. Sein Scheduler entscheidet und kann abweichen, wenn die Uhr umgestellt wird.",
    yours: "Ihre Zeitzone",
    itsOwn: (zone: string) => `Seine Zeitzone, ${zone}`,
    jitterUpTo: (length: string) => `bis zu ${length} später`,
    bothZones: (zone: string) => `Ihre Zeitzone und seine: ${zone}`,
    fires: "Auslösungen",
    noFires: "Noch keine Auslösung",
    noFiresHint: "Sein nächster Tick steht auf dieser Seite. Lösen Sie ihn aus, um seinen Task jetzt einzureichen.",
    foreignFires: "Ein anderer Scheduler feuert ihn; svc hat daher keine Auslösungen. Ausgefallene Ticks stehen unten.",
    tick: "Tick",
    fired: "Gefeuert nach",
    firedHint: "Vom Tick bis zu dem Moment, in dem der Brain-Server die Auslösung verzeichnete.",
    latency: "Agent brauchte",
    outcome: "Ergebnis",
    command: "Befehl",
    openTask: "Task öffnen",
    byPerson: "von einer Person ausgelöst"
  },
  catchUps: {
    skip: "Auslassen",
    fire_one_missed: "Den neuesten feuern",
    fire_all_missed: "Alle feuern"
  },
  unknownOutcomes: {
    continue: "Feuert weiter",
    quarantine: "Geht in Quarantäne"
  },
  operations: {
    enable: "Aktivieren",
    disable: "Deaktivieren",
    create: "Erstellen",
    update: "Ändern",
    delete: "Löschen",
    trigger: "Auslösen"
  },
  schedulers: {
    title: "Scheduler",
    hint:
      "Scheduler Ihrer Engines wie celery-beat feuern eigene Zeitpläne. Agenten veröffentlichen diese Zeitpläne und führen aus, was Sie hier mit ihnen tun.",
    none: "Kein Scheduler einer Engine",
    noneHint:
      "svc feuert die Zeitpläne des Projekts selbst. Ein Scheduler erscheint hier, sobald ein Agent seine Zeitpläne veröffentlicht.",
    name: "Scheduler",
    agent: "Veröffentlicht von",
    state: "Zustand",
    live: "Verbunden",
    away: "Nicht verbunden",
    can: "Kann",
    listOnly: "nur auflisten",
    count: "Zeitpläne",
    snapshot: "Zuletzt gelesen",
    resync: "Neu einlesen",
    resyncHint:
      "Fragt jeden verbundenen Agenten nach allen Zeitplänen. Ein Zeitplan, der in der Antwort fehlt, wird hier gelöscht.",
    asked: (count: string, schedulers: string) =>
      `${count} gefragt, für ${schedulers}. Die Antworten kommen innerhalb von Sekunden.`,
    noneAsked:
      "Kein verbundener Agent veröffentlicht Zeitpläne. Starten Sie den Prozess eines Agenten und versuchen Sie es erneut."
  },
  dst: {
    gap: "verschoben",
    gapHint:
      "Die Uhr wird vorgestellt: Diese Ortszeit gibt es an dem Tag nicht, deshalb feuert er im ersten Moment danach.",
    overlap: "doppelt",
    overlapHint: "Die Uhr wird zurückgestellt: Diese Ortszeit gibt es an dem Tag zweimal."
  },
  words: {
    comma: ", ",
    range: (from: string, to: string) => `${from} bis ${to}`,
    at: (times: string) => `Um ${times}`,
    atDaily: (times: string) => `Jeden Tag um ${times}`,
    atMinutes: (minutes: string) => `Zur Minute ${minutes}`,
    ofEveryHour: (atMinutes: string) => `${atMinutes} jeder Stunde`,
    betweenHours: (from: string, to: string) => `von ${from} bis ${to}`,
    inHours: (hours: string) => `in den Stunden ${hours}`,
    onDays: (days: string) => `an Tag ${days} des Monats`,
    lastDay: "am letzten Tag des Monats",
    onWeekdays: (weekdays: string) => `am ${weekdays}`,
    inMonths: (months: string) => `im ${months}`,
    either: (days: string, weekdays: string) => `${days} oder ${weekdays}`,
    once: (moment: string) => `Einmal, am ${moment}`,
    everySecond: "Jede Sekunde",
    everySeconds: (count: string) => `Alle ${count} Sekunden`,
    everyMinute: "Jede Minute",
    everyMinutes: (count: string) => `Alle ${count} Minuten`,
    everyHour: "Jede Stunde",
    everyHours: (count: string) => `Alle ${count} Stunden`,
    everyDay: "Alle 24 Stunden",
    everyDays: (count: string) => `Alle ${count} Tage`,
    everyWeek: "Alle 7 Tage",
    everyWeeks: (count: string) => `Alle ${count} Wochen`,
    everyLength: (length: string) => `Alle ${length}`
  }
}
