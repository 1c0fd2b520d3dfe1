import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const schedules = {
  title: common.schedules,
  tabs: { schedules: common.schedules, misfires: "Ejecuciones perdidas", schedulers: common.schedulers },
  tabsLabel: "Partes de esta página",
  search: "Buscar una programación",
  filter: common.status,
  allStates: common.all,
  filters: {
    active: "Activas",
    paused: common.paused,
    disabled: "Desactivadas",
    quarantined: "En cuarentena",
    failing: "Con fallos",
    drifted: "Divergentes"
  },
  states: {
    active: common.active,
    paused: common.paused,
    disabled: "Desactivada",
    quarantined: "En cuarentena"
  },
  stateHints: {
    active: "Se dispara en sus ticks.",
    paused: "No se dispara hasta que se reanude. Su recuperación decide entonces sobre los ticks intermedios.",
    disabled: "No se dispara hasta que se active. Los ticks intermedios no se recuperan.",
    quarantined: "No se dispara hasta que termine su cuarentena. Su página explica el motivo y qué la termina."
  },
  breaker: {
    counting: (failures: string, threshold: string) => `${failures} de ${threshold} fallos`,
    countingHint: (threshold: string) =>
      `Sus últimos disparos fallaron tantas veces seguidas. Con ${threshold}, el disyuntor la desactiva.`,
    tripped: "Disyuntor activado",
    trippedHint:
      "Demasiados disparos fallaron seguidos, y el disyuntor la desactivó. Al activarla, la cuenta empieza de nuevo."
  },
  drifted: "Divergente",
  driftedHint:
    "Su definición difiere de lo que su origen escribió por última vez. La próxima importación deshace la diferencia.",
  columns: {
    name: common.schedule,
    fires: "Últimos disparos",
    when: "Cuándo",
    next: "Próximo tick",
    state: common.status
  },
  noFires: "Ningún disparo aún",
  firesElsewhere: "solo comunica ejecuciones perdidas",
  firesElsewhereHint: "Otro planificador la dispara, así que svc solo registra sus ejecuciones perdidas.",
  firedBy: (scheduler: string) => `por ${scheduler}`,
  strip: (count: Count, failed: string) =>
    plural(count, `Último disparo, ${failed} con error`, `Últimos # disparos, ${failed} con error`),
  noNext: "ninguno",
  next: {
    unknown: "Su planificador no lo indica",
    notFiring: "Ahora no se dispara"
  },
  more: (count: string) => `Mostrar ${count} más`,
  truncated: (count: string) =>
    `Se muestran las primeras ${count} programaciones. Use svc schedules list para verlas todas.`,
  none: "Todavía no hay programaciones",
  noneHint: "Cree una aquí, importe un archivo o conecte un agente cuyo motor tenga su propio planificador.",
  noMatch: "Ninguna programación coincide",
  noMatchHint: "Cambie el texto o el estado.",
  clear: common.showAll,
  families: {
    waiting: common.waiting,
    running: "Enviado",
    succeeded: "Completado",
    failed: common.failed,
    unknown: common.outcomeUnknown,
    stopped: "No ejecutado"
  },
  statuses: {
    pending: "Espera su recuperación",
    accepted: "Comando emitido",
    delivered: "Enviado al agente",
    buffered: "Espera un agente",
    buffer_stale: "Obsoleto",
    buffer_expired: "Esperó demasiado",
    acked_success: "Enviado",
    acked_failed: "Rechazado por el agente",
    failed: "Nunca enviado",
    operator_skipped: "Resuelto: no se ejecutó",
    terminal_completed: "Resuelto: se ejecutó, o pudo ejecutarse",
    terminal_failed: common.failed,
    terminal_cancelled: "Cancelado",
    terminal_timeout: common.outcomeUnknown
  },
  statusHints: {
    pending: "Un tick perdido que se recupera. Espera su turno.",
    accepted: "Su comando se ha emitido y aún no se ha enviado.",
    delivered: "Su comando se envió al agente, que aún no ha respondido.",
    buffered: "Ningún agente de su motor estaba conectado. Se dispara cuando se conecte uno.",
    buffer_stale:
      "Mientras esperaba un agente, la programación se cambió, se desactivó o se eliminó. Ya no se dispara.",
    buffer_expired:
      "Esperó un agente más de lo que permite el servidor. Ya no se dispara. El administrador del servidor puede aumentar el límite.",
    acked_success: "El agente envió la tarea.",
    acked_failed: "El agente rechazó la tarea o no pudo enviarla.",
    failed: "Su comando nunca se envió, así que la tarea no se envió.",
    operator_skipped: "Un usuario comprobó que su tarea no se ejecutó.",
    terminal_completed: "Un usuario comprobó que su tarea se ejecutó, o pudo ejecutarse.",
    terminal_failed: "Falló.",
    terminal_cancelled: "Su comando se canceló o su agente se eliminó.",
    terminal_timeout: "Se envió, pero el agente no respondió a tiempo. Se desconoce si su tarea se envió."
  },
  misfires: {
    title: "Ejecuciones perdidas",
    none: "No hay ejecuciones perdidas",
    noneHint:
      "Una ejecución perdida es un tick que no se disparó dentro de su margen. Cada una aparece aquí con su causa.",
    schedule: common.schedule,
    tick: "Tick",
    slots: "Ticks",
    late: "Retraso",
    grace: "Margen",
    cause: "Causa",
    detected: "Detectado",
    causes: {
      brain_down: "El servidor no funcionaba",
      scheduler_down: "El planificador no funcionaba",
      no_agent: "Ningún agente conectado",
      paused: common.paused,
      disabled: "Desactivada",
      quarantined: "En cuarentena",
      lease_lost: "El proceso que dispara se detuvo",
      clock_step: "Se ajustó el reloj, o la máquina se suspendió",
      external_scheduler_silent: "Su planificador no la disparó",
      previous_not_started: "El trabajo anterior no ha empezado",
      late: "Disparado tarde"
    }
  },
  page: {
    back: "Todas las programaciones",
    facts: common.details,
    engine: common.engine,
    task: common.task,
    queue: common.queue,
    ownQueue: "la de la tarea",
    scheduler: "Disparada por",
    source: common.source,
    lastRun: "Último tick disparado",
    runs: "Disparos en total",
    catchUp: "Ticks perdidos",
    jitter: "Jitter",
    grace: "Margen",
    defaultGrace: "valor del servidor",
    unknownOutcome: "Resultado desconocido",
    skipped: "Omitidos, 24 h",
    created: "Creada",
    changed: "Modificada",
    externalId: "ID en su planificador",
    values: common.arguments,
    hidden: "Su rol no puede ver los argumentos.",
    ticks: "Próximos ticks",
    noTicks: "No le queda ningún tick.",
    inactiveTicks: "Cuándo se dispararía. Ahora no se dispara.",
    foreignTicks: "Según las reglas de svc. Su planificador decide, y puede diferir cuando cambia la hora.",
    yours: "Su zona",
    itsOwn: (zone: string) => `Zona de la programación, ${zone}`,
    jitterUpTo: (length: string) => `hasta ${length} después`,
    bothZones: (zone: string) => `Su zona y la de la programación: ${zone}`,
    fires: "Disparos",
    noFires: "Ningún disparo aún",
    noFiresHint: "Su próximo tick figura en esta página. Para enviar su tarea ahora, dispárela.",
    foreignFires:
      "Otro planificador la dispara, así que svc no tiene sus disparos. Sus ejecuciones perdidas figuran abajo.",
    tick: "Tick",
    fired: "Disparado tras",
    firedHint: "Desde el tick hasta el momento en que el servidor registró el disparo.",
    latency: "Tardó el agente",
    outcome: common.outcome,
    command: common.command,
    openTask: common.openTheTask,
    byPerson: "disparado por un usuario"
  },
  catchUps: {
    skip: "Omitirlos",
    fire_one_missed: "Disparar el último",
    fire_all_missed: "Disparar todos"
  },
  unknownOutcomes: {
    continue: "Sigue disparándose",
    quarantine: "Entra en cuarentena"
  },
  operations: {
    enable: common.enable,
    disable: common.disable,
    create: common.create,
    update: "Cambiar",
    delete: common.delete,
    trigger: "Disparar"
  },
  schedulers: {
    title: common.schedulers,
    hint:
      "Los planificadores de sus motores, como celery-beat, disparan sus propias programaciones. Los agentes las publican y ejecutan sus acciones sobre ellas.",
    none: "Ningún planificador de un motor",
    noneHint:
      "svc dispara las programaciones del proyecto. Un planificador aparece aquí cuando un agente publica sus programaciones.",
    byBrain: "El servidor dispara.",
    programs: (firing: Count, standby: string) =>
      plural(
        firing,
        `# programa planificador dispara, ${standby} en espera.`,
        `# programas planificadores disparan, ${standby} en espera.`
      ),
    nothingFires: "Nada dispara en este momento.",
    name: "Planificador",
    agent: "Publicado por",
    state: common.status,
    live: "Conectado",
    away: "No conectado",
    can: "Puede",
    listOnly: "solo listar",
    count: "Programaciones",
    snapshot: "Última lectura",
    resync: "Leerlas de nuevo",
    resyncHint: "Pide a cada agente conectado todas sus programaciones. La que falte en la respuesta se elimina aquí.",
    requested: (count: Count, schedulers: string) =>
      plural(
        count,
        `Se ha preguntado a # agente, por ${schedulers}. La respuesta llega en segundos.`,
        `Se ha preguntado a # agentes, por ${schedulers}. Las respuestas llegan en segundos.`
      ),
    noneRequested: "Ningún agente conectado publica programaciones. Inicie el proceso de uno e inténtelo de nuevo."
  },
  actions: {
    enable: common.enable,
    disable: common.disable,
    pause: common.pause,
    resume: common.resume,
    trigger: "Disparar ahora",
    hints: {
      enable: "Empieza con su próximo tick. Nada se recupera.",
      disable: "No se dispara hasta que se active.",
      pause: "No se dispara hasta que se reanude. Su recuperación decide entonces sobre los ticks intermedios.",
      resume: "Su recuperación decide sobre los ticks que pasaron durante la pausa."
    },
    triggerQuestion: (name: string) => `¿Enviar ahora la tarea de ${name}?`,
    triggerHint: "La tarea se ejecuta una vez, ahora. No se registra ningún disparo, y el próximo tick se mantiene.",
    triggerHintForeign:
      "El agente pide a su planificador que ejecute la tarea una vez, ahora. La próxima ejecución se mantiene.",
    deleteQuestion: common.deleteQuestion,
    deleteHint:
      "No vuelve a dispararse. Sus disparos se conservan hasta que termine su retención. Si su origen aún la contiene, la próxima importación la crea de nuevo.",
    deleteHintForeign: "El agente la elimina en su propio planificador. Aquí desaparece con la próxima instantánea."
  },
  actionNotices: {
    enable: (name: string) => `Activar: ${name}`,
    disable: (name: string) => `Desactivar: ${name}`,
    pause: (name: string) => `Pausar: ${name}`,
    resume: (name: string) => `Reanudar: ${name}`,
    trigger: (name: string) => `Disparar: ${name}`,
    delete: (name: string) => `Eliminar: ${name}`,
    create: (name: string) => `Crear: ${name}`,
    update: (name: string) => `Cambiar: ${name}`
  },
  operationStatuses: {
    pending: common.waiting,
    sent: "Enviada al agente",
    accepted: "Hecha, aún sin publicar",
    succeeded: common.succeededTask,
    failed: common.failed,
    indeterminate: common.outcomeUnknown,
    expired: "Nunca enviada"
  },
  operationHints: {
    pending: "El comando espera al agente.",
    sent: "El agente tiene el comando y aún no ha respondido.",
    accepted: "El agente lo ha hecho. Su próxima publicación muestra el efecto.",
    succeeded: "El agente lo ha hecho.",
    failed: "La programación está como estaba.",
    indeterminate: "Pudo haberse hecho. Mire el propio planificador antes de repetirlo.",
    expired: "La programación está como estaba. Repítalo cuando el agente esté conectado."
  },
  foreign: {
    owner: (scheduler: string) =>
      `${scheduler} posee y dispara esta programación. Las acciones aquí son peticiones al agente que la publica.`,
    can: (operations: string) => `Admite: ${operations}.`,
    nothing:
      "Ahora no acepta peticiones: ningún agente conectado la publica, o su planificador solo puede listar. Cámbiela donde está definida."
  },
  form: {
    create: "Nueva programación",
    createTitle: "Nueva programación",
    editTitle: common.editTitle,
    ownHint: "La dispara svc.",
    foreignHint: "La dispara el planificador del motor. Se pide a su agente que la cree.",
    fields: {
      name: common.name,
      engine: common.engine,
      scheduler: "Planificador",
      kind: common.kind,
      expression: "Expresión",
      timezone: common.timeZone,
      task_name: common.task,
      queue: "Cola (opcional)",
      args: "Argumentos posicionales",
      kwargs: common.namedArguments,
      catch_up: "Ticks perdidos",
      on_unknown_outcome: "Resultado desconocido",
      jitter_seconds: "Jitter",
      grace_seconds: "Margen (opcional)",
      is_enabled: "Estado inicial"
    },
    kinds: { cron: "Cron", interval: "Intervalo", clocked: "Una vez" },
    expressionHints: {
      cron: "Minuto, hora, día, mes, día de la semana: 30 9 * * MON-FRI",
      interval: "Una duración: 30 s, 5 min, 1 h 30 min",
      clocked: "Fecha y hora: 2027-12-24T18:00"
    },
    enabledChoices: { true: "Activada", false: "Desactivada" },
    valuesHint: "JSON. Se conservan todas las cifras de los números.",
    invalid: {
      args: "Introduzca un array JSON, como [42].",
      kwargs: "Introduzca un objeto JSON, como {\"day\": 1}.",
      json: "Los argumentos no son JSON válido. Corríjalos y guarde después.",
      lossy:
        "Algunos valores se muestran solo en parte: un secreto está oculto o falta una parte. Indique los valores completos."
    },
    preview: "Vista previa",
    previewHint: "Escriba una expresión para ver cuándo se dispara.",
    noAgent: (engine: string, wait: string) =>
      `Ningún agente conectado ejecuta ${engine}. Cada ejecución espera uno durante ${wait}; después se da por perdida.`,
    noConsumer: (queue: string) =>
      `Ningún worker en línea toma tareas de la cola ${queue}. Esperan allí hasta que uno lo haga.`,
    changes: "Cambios",
    noChange: "Aún no hay cambios.",
    cadenceHint: "La cadencia cambiada empieza con el próximo tick tras guardar. Los ticks anteriores no se recuperan.",
    driftHint: (source: string) =>
      `Su definición viene de ${source}. La próxima importación deshace lo que cambie aquí; hasta entonces se muestra como divergente.`
  },
  recovery: {
    title: "Cuarentena",
    meaning:
      "No se dispara hasta que termine la cuarentena. Su recuperación decide entonces sobre los ticks intermedios.",
    reasons: {
      definition_invalid: "En cuarentena: su definición no se puede evaluar",
      two_owners: "En cuarentena: dos agentes la publican de forma distinta",
      outcome_unknown: "En cuarentena: se desconoce el resultado de un disparo"
    },
    steps: {
      definition_invalid:
        "Edite la programación, o impórtela, con una definición que se pueda evaluar. Eso termina la cuarentena, y empieza con su próximo tick.",
      two_owners:
        "Iguale ambas definiciones, o detenga uno de los agentes. La cuarentena termina sola cuando queda una definición.",
      outcome_unknown:
        "Averigüe si la tarea del disparo se ejecutó, por ejemplo en el registro del motor. Después indíquelo aquí. El disparo nunca se repite."
    },
    resolve: "Resolver",
    resolveFire: "Resolver el disparo",
    resolveHint: "Averigüe si su tarea se ejecutó e indíquelo. El disparo nunca se repite.",
    resolveTitle: (tick: string) => `Resolver el disparo de ${tick}`,
    resolveExplained:
      "El disparo se envió, y su resultado se desconoce. Su respuesta es definitiva, y nada se envía de nuevo. Para ejecutar la tarea ahora, dispare la programación.",
    commandIs: (status: string) =>
      `Su comando: ${status}. Si eso cambia antes de su respuesta, la respuesta se rechaza.`,
    question: "¿Qué ha averiguado?",
    choices: { yes: "La tarea se ejecutó, o pudo ejecutarse", no: "La tarea no se ejecutó" },
    choiceHints: {
      yes: "El disparo queda resuelto como ejecutado.",
      no: "El disparo queda resuelto como no ejecutado."
    },
    disableAfter: "Desactivar también la programación",
    disableAfterHint: "Si no, sigue disparándose cuando no quede otro disparo por resolver.",
    evidenceFireHint: "No tiene comando, y espera. Puede resolverlo para que no se envíe.",
    legacy: "Planificadores sin fencing",
    legacySummary:
      "Para disparos que svc no registró o no envió, y para planificadores que no conocen números de fencing",
    evidence: "Un disparo que svc no registró, o no envió",
    evidenceHint:
      "Un comando terminado de esta programación cuyo disparo no está registrado, o un disparo registrado sin comando. Su respuesta es definitiva: su tick no vuelve a dispararse.",
    resolveEvidence: "Resolver la prueba",
    fireId: "ID del disparo",
    evidenceKind: "Prueba",
    evidenceKinds: {
      command: "Un comando cuyo disparo no está registrado",
      fire: "Un disparo registrado sin comando"
    },
    evidenceId: "ID del comando, o de la fila del disparo",
    grant: "Permiso para un planificador sin fencing",
    grantHint:
      "Un planificador así no distingue una vista antigua de una nueva. Con el permiso puede disparar esta programación hasta la próxima acción sobre ella.",
    granted: "El permiso está concedido.",
    notGranted: "Ningún planificador así puede dispararla.",
    giveGrant: "Conceder el permiso",
    revokeGrant: "Revocar el permiso",
    quiesced: "Ninguna réplica de ese planificador dispara ahora, y cada una ha leído las programaciones de nuevo",
    quiescedHint: "Si no, un tick puede dispararse dos veces."
  },
  import: {
    open: "Importar",
    title: "Importar programaciones",
    hint:
      "Una instantánea tiene las programaciones de un origen, como un repositorio Git. Primero se compara, y nada se escribe hasta que la importe. Una importación es todo o nada.",
    file: common.file,
    text: "Instantánea",
    textHint:
      "JSON: una lista de programaciones, o un objeto con schedules, mode y source_filter. Para YAML use svc schedules import.",
    invalid: "Introduzca una lista JSON de programaciones.",
    mode: "Modo",
    modes: { upsert: "Insertar y actualizar", replace: "Reemplazar el origen" },
    modeHints: {
      upsert: "Nada se elimina.",
      replace: "Se eliminan las programaciones del origen que faltan en la instantánea."
    },
    source: common.source,
    sourceHint: "El origen de todas las programaciones de la instantánea. Reemplazar lo necesita.",
    compare: "Comparar",
    submit: "Importar",
    refused: "La instantánea se rechaza",
    difference: "Lo que cambiaría la importación",
    nothing: "Nada cambiaría.",
    counts: (inserted: string, updated: string, deleted: string) =>
      `${inserted} nuevas, ${updated} cambiadas, ${deleted} eliminadas`,
    unchanged: (count: string) => `${count} sin cambios`,
    kinds: { inserted: "nueva", updated: "cambiada", deleted: "eliminada" },
    question: "¿Importar esta instantánea?",
    questionHint:
      "Se deshacen los cambios de usuarios en estas programaciones. Las cadencias cambiadas empiezan con el próximo tick.",
    done: "Importado",
    adminsOnly: "Solo los administradores importan programaciones",
    adminsOnlyHint: "Pregunte a un administrador del proyecto, o pida el rol."
  },
  dst: {
    gap: "movido",
    gapHint:
      "El reloj se adelanta: esta hora local no existe ese día, así que se dispara en el primer momento posterior.",
    overlap: "doble",
    overlapHint: "El reloj se atrasa: esta hora local se repite ese día.",
    next: (moment: string) => `Próximo cambio de hora: ${moment}.`
  }
}
