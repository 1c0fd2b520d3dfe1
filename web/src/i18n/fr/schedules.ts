import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const schedules = {
  title: common.schedules,
  tabs: { schedules: common.schedules, misfires: "Exécutions manquées", schedulers: common.schedulers },
  tabsLabel: "Parties de cette page",
  search: "Chercher une planification",
  filter: common.status,
  allStates: common.all,
  filters: {
    active: "Actives",
    paused: common.paused,
    disabled: "Désactivées",
    quarantined: "En quarantaine",
    failing: "En échec",
    drifted: "Divergentes"
  },
  states: {
    active: common.active,
    paused: common.paused,
    disabled: "Désactivée",
    quarantined: "En quarantaine"
  },
  stateHints: {
    active: "Elle se déclenche à ses ticks.",
    paused: "Ne se déclenche pas avant d’être reprise. Son rattrapage décide alors des ticks intermédiaires.",
    disabled: "Ne se déclenche pas avant d’être activée. Les ticks intermédiaires ne sont pas rattrapés.",
    quarantined: "Ne se déclenche pas avant la fin de sa quarantaine. Sa page donne la raison et ce qui y met fin."
  },
  breaker: {
    counting: (failures: string, threshold: string) => `${failures} échecs sur ${threshold}`,
    countingHint: (threshold: string) =>
      `Nombre de ses derniers déclenchements qui ont échoué de suite. À ${threshold}, le disjoncteur la désactive.`,
    tripped: "Disjoncteur déclenché",
    trippedHint:
      "Trop de déclenchements ont échoué de suite, et le disjoncteur l’a désactivée. L’activation remet le compte à zéro."
  },
  drifted: "Divergente",
  driftedHint: "Sa définition diffère de ce que sa source a écrit en dernier. Le prochain import annule la différence.",
  columns: {
    name: common.schedule,
    fires: "Derniers déclenchements",
    when: "Quand",
    next: "Prochain tick",
    state: common.status
  },
  noFires: "Aucun déclenchement",
  firesElsewhere: "ne signale que les exécutions manquées",
  firesElsewhereHint: "Un autre planificateur la déclenche\u00a0: svc n’enregistre que ses exécutions manquées.",
  firedBy: (scheduler: string) => `par ${scheduler}`,
  strip: (count: Count, failed: string) =>
    plural(count, `Dernier déclenchement, ${failed} en échec`, `# derniers déclenchements, ${failed} en échec`),
  noNext: "aucun",
  next: {
    unknown: "Son planificateur ne l’indique pas",
    notFiring: "Elle ne se déclenche pas actuellement"
  },
  more: (count: string) => `En afficher ${count} de plus`,
  truncated: (count: string) =>
    `Les ${count} premières planifications sont affichées. Utilisez svc schedules list pour les voir toutes.`,
  none: "Aucune planification",
  noneHint: "Créez-en une ici, importez un fichier, ou connectez un agent dont le moteur a son propre planificateur.",
  noMatch: "Aucune planification ne correspond",
  noMatchHint: "Modifiez le texte ou l’état.",
  clear: common.showAll,
  families: {
    waiting: common.waiting,
    running: "Envoyé",
    succeeded: "Réussi",
    failed: common.failed,
    unknown: common.outcomeUnknown,
    stopped: "Non exécuté"
  },
  statuses: {
    pending: "Attend son rattrapage",
    accepted: "Commande émise",
    delivered: "Envoyé à l’agent",
    buffered: "Attend un agent",
    buffer_stale: "Périmé",
    buffer_expired: "A attendu trop longtemps",
    acked_success: "Soumis",
    acked_failed: "Refusé par l’agent",
    failed: "Jamais envoyé",
    operator_skipped: "Résolu\u00a0: non exécuté",
    terminal_completed: "Résolu\u00a0: exécuté, ou peut-être",
    terminal_failed: common.failed,
    terminal_cancelled: "Annulé",
    terminal_timeout: common.outcomeUnknown
  },
  statusHints: {
    pending: "Un tick manqué que le rattrapage déclenche. Il attend son tour.",
    accepted: "Sa commande est émise, et n’est pas encore envoyée.",
    delivered: "Sa commande a été envoyée à l’agent, qui n’a pas encore répondu.",
    buffered: "Aucun agent de son moteur n’était connecté. Il se déclenche dès qu’un agent se connecte.",
    buffer_stale:
      "Pendant qu’il attendait un agent, la planification a été modifiée, désactivée ou supprimée. Il ne se déclenche plus.",
    buffer_expired:
      "Il a attendu un agent plus longtemps que le serveur ne le permet. Il ne se déclenche plus. L’administrateur du serveur peut relever la limite.",
    acked_success: "L’agent a soumis la tâche.",
    acked_failed: "L’agent a refusé la tâche, ou n’a pas pu la soumettre.",
    failed: "Sa commande n’a jamais été envoyée\u00a0: la tâche n’a pas été soumise.",
    operator_skipped: "Un utilisateur a constaté que sa tâche ne s’est pas exécutée.",
    terminal_completed: "Un utilisateur a constaté que sa tâche s’est exécutée, ou a pu s’exécuter.",
    terminal_failed: "Il a échoué.",
    terminal_cancelled: "Sa commande a été annulée, ou son agent supprimé.",
    terminal_timeout: "Il a été envoyé, et l’agent n’a pas répondu à temps. On ignore si sa tâche a été soumise."
  },
  misfires: {
    title: "Exécutions manquées",
    none: "Aucune exécution manquée",
    noneHint:
      "Une exécution manquée est un tick qui ne s’est pas déclenché dans son délai de grâce. Chacune apparaît ici avec sa cause.",
    schedule: common.schedule,
    tick: "Tick",
    slots: "Ticks",
    late: "Retard",
    grace: "Délai de grâce",
    cause: "Cause",
    detected: "Constaté",
    causes: {
      brain_down: "Le serveur ne fonctionnait pas",
      scheduler_down: "Le planificateur ne fonctionnait pas",
      no_agent: "Aucun agent connecté",
      paused: common.paused,
      disabled: "Désactivée",
      quarantined: "En quarantaine",
      lease_lost: "Le processus déclencheur s’est arrêté",
      clock_step: "L’horloge a été réglée, ou la machine mise en veille",
      external_scheduler_silent: "Son planificateur ne l’a pas déclenchée",
      previous_not_started: "Le job précédent n’a pas commencé",
      late: "Déclenché en retard"
    }
  },
  page: {
    back: "Toutes les planifications",
    facts: common.details,
    engine: common.engine,
    task: common.task,
    queue: common.queue,
    ownQueue: "celle de la tâche",
    scheduler: "Déclenchée par",
    source: common.source,
    lastRun: "Dernier tick déclenché",
    runs: "Déclenchements au total",
    catchUp: "Ticks manqués",
    jitter: "Gigue",
    grace: "Délai de grâce",
    defaultGrace: "valeur du serveur",
    unknownOutcome: "Résultat inconnu",
    skipped: "Sautés, 24 h",
    created: "Créée",
    changed: "Modifiée",
    externalId: "Identifiant chez son planificateur",
    values: common.arguments,
    hidden: "Votre rôle ne permet pas de voir les arguments.",
    ticks: "Prochains ticks",
    noTicks: "Il ne reste aucun tick.",
    inactiveTicks: "Quand elle se déclencherait. Elle ne se déclenche pas actuellement.",
    foreignTicks: "Selon les règles de svc. Son planificateur décide, et peut différer lors d’un changement d’heure.",
    yours: "Votre fuseau",
    itsOwn: (zone: string) => `Son fuseau, ${zone}`,
    jitterUpTo: (length: string) => `jusqu’à ${length} plus tard`,
    bothZones: (zone: string) => `Votre fuseau et le sien\u00a0: ${zone}`,
    fires: "Déclenchements",
    noFires: "Aucun déclenchement",
    noFiresHint: "Son prochain tick figure sur cette page. Pour soumettre sa tâche maintenant, déclenchez-la.",
    foreignFires:
      "Un autre planificateur la déclenche\u00a0: svc n’a pas ses déclenchements. Ses exécutions manquées figurent ci-dessous.",
    tick: "Tick",
    fired: "Déclenché après",
    firedHint: "Du tick au moment où le serveur a enregistré le déclenchement.",
    latency: "Durée de l’agent",
    outcome: common.outcome,
    command: common.command,
    openTask: common.openTheTask,
    byPerson: "déclenché par un utilisateur"
  },
  catchUps: {
    skip: "Les sauter",
    fire_one_missed: "Déclencher le plus récent",
    fire_all_missed: "Les déclencher tous"
  },
  unknownOutcomes: {
    continue: "Continue",
    quarantine: "Passe en quarantaine"
  },
  operations: {
    enable: common.enable,
    disable: common.disable,
    create: common.create,
    update: "Modifier",
    delete: common.delete,
    trigger: "Déclencher"
  },
  schedulers: {
    title: common.schedulers,
    hint:
      "Les planificateurs de vos moteurs, comme celery-beat, déclenchent leurs propres planifications. Les agents les publient et exécutent vos actions.",
    none: "Aucun planificateur de moteur",
    noneHint:
      "svc déclenche lui-même les planifications du projet. Un planificateur apparaît ici quand un agent publie ses planifications.",
    byBrain: "Le serveur déclenche.",
    programs: (firing: Count, standby: string) =>
      plural(
        firing,
        `# programme planificateur déclenche, ${standby} en attente.`,
        `# programmes planificateurs déclenchent, ${standby} en attente.`
      ),
    nothingFires: "Rien ne déclenche en ce moment.",
    name: "Planificateur",
    agent: "Publié par",
    state: common.status,
    live: "Connecté",
    away: "Non connecté",
    can: "Peut",
    listOnly: "lister seulement",
    count: "Planifications",
    snapshot: "Dernière lecture",
    resync: "Les relire",
    resyncHint:
      "Demande à chaque agent connecté toutes ses planifications. Une planification absente de la réponse est supprimée ici.",
    requested: (count: Count, schedulers: string) =>
      plural(
        count,
        `# agent interrogé, pour ${schedulers}. La réponse arrive en quelques secondes.`,
        `# agents interrogés, pour ${schedulers}. Les réponses arrivent en quelques secondes.`
      ),
    noneRequested: "Aucun agent connecté ne publie de planifications. Démarrez le processus d’un agent, puis réessayez."
  },
  actions: {
    enable: common.enable,
    disable: common.disable,
    pause: common.pause,
    resume: common.resume,
    trigger: "Déclencher maintenant",
    hints: {
      enable: "Elle commence avec son prochain tick. Rien n’est rattrapé.",
      disable: "Elle ne se déclenche pas avant d’être activée.",
      pause: "Elle ne se déclenche pas avant d’être reprise. Son rattrapage décide alors des ticks intermédiaires.",
      resume: "Son rattrapage décide des ticks passés pendant la pause."
    },
    triggerQuestion: (name: string) => `Soumettre maintenant la tâche de ${name}\u00a0?`,
    triggerHint:
      "La tâche s’exécute une fois, maintenant. Aucun déclenchement n’est enregistré, et le prochain tick reste.",
    triggerHintForeign:
      "L’agent demande à son planificateur d’exécuter la tâche une fois, maintenant. La prochaine exécution reste.",
    deleteQuestion: common.deleteQuestion,
    deleteHint:
      "Elle ne se déclenche plus jamais. Ses déclenchements restent jusqu’à la fin de leur conservation. Si sa source la contient encore, le prochain import la recrée.",
    deleteHintForeign:
      "L’agent la supprime chez son propre planificateur. Elle disparaît ici avec le prochain instantané."
  },
  actionNotices: {
    enable: (name: string) => `Activer\u00a0: ${name}`,
    disable: (name: string) => `Désactiver\u00a0: ${name}`,
    pause: (name: string) => `Mettre en pause\u00a0: ${name}`,
    resume: (name: string) => `Reprendre\u00a0: ${name}`,
    trigger: (name: string) => `Déclencher\u00a0: ${name}`,
    delete: (name: string) => `Supprimer\u00a0: ${name}`,
    create: (name: string) => `Créer\u00a0: ${name}`,
    update: (name: string) => `Modifier\u00a0: ${name}`
  },
  operationStatuses: {
    pending: common.waiting,
    sent: "Envoyée à l’agent",
    accepted: "Faite, pas encore publiée",
    succeeded: common.succeededTask,
    failed: common.failed,
    indeterminate: common.outcomeUnknown,
    expired: "Jamais envoyée"
  },
  operationHints: {
    pending: "La commande attend l’agent.",
    sent: "L’agent a la commande, et n’a pas encore répondu.",
    accepted: "L’agent l’a fait. Sa prochaine publication en montre l’effet.",
    succeeded: "L’agent l’a fait.",
    failed: "La planification est inchangée.",
    indeterminate: "Cela a pu être fait. Vérifiez le planificateur lui-même avant de répéter.",
    expired: "La planification est inchangée. Répétez quand l’agent est connecté."
  },
  foreign: {
    owner: (scheduler: string) =>
      `${scheduler} possède et déclenche cette planification. Les actions ici sont des demandes à l’agent qui la publie.`,
    can: (operations: string) => `Elle prend en charge\u00a0: ${operations}.`,
    nothing:
      "Aucune demande n’est possible maintenant\u00a0: aucun agent connecté ne la publie, ou son planificateur ne peut que lister. Modifiez-la là où elle est définie."
  },
  form: {
    create: "Nouvelle planification",
    createTitle: "Nouvelle planification",
    editTitle: common.editTitle,
    ownHint: "svc la déclenche.",
    foreignHint: "Le planificateur du moteur la déclenche. Son agent est prié de la créer.",
    fields: {
      name: common.name,
      engine: common.engine,
      scheduler: "Planificateur",
      kind: common.kind,
      expression: "Expression",
      timezone: common.timeZone,
      task_name: common.task,
      queue: "File (facultatif)",
      args: "Arguments positionnels",
      kwargs: common.namedArguments,
      catch_up: "Ticks manqués",
      on_unknown_outcome: "Résultat inconnu",
      jitter_seconds: "Gigue",
      grace_seconds: "Délai de grâce (facultatif)",
      is_enabled: "État initial"
    },
    kinds: { cron: "Cron", interval: "Intervalle", clocked: "Une fois" },
    expressionHints: {
      cron: "Minute, heure, jour, mois, jour de la semaine\u00a0: 30 9 * * MON-FRI",
      interval: "Une durée\u00a0: 30 s, 5 min, 1 h 30 min",
      clocked: "Date et heure\u00a0: 2027-12-24T18:00"
    },
    enabledChoices: { true: "Activée", false: "Désactivée" },
    valuesHint: "JSON. Tous les chiffres des nombres sont conservés.",
    invalid: {
      args: "Saisissez un tableau JSON, comme [42].",
      kwargs: "Saisissez un objet JSON, comme {\"day\": 1}.",
      json: "Les arguments ne sont pas du JSON valide. Corrigez-les, puis enregistrez.",
      lossy:
        "Certaines valeurs ne sont affichées qu’en partie\u00a0: un secret est masqué, ou une partie manque. Saisissez les valeurs entières."
    },
    preview: "Aperçu",
    previewHint: "Saisissez une expression pour voir quand elle se déclenche.",
    noAgent: (engine: string, wait: string) =>
      `Aucun agent connecté n’exécute ${engine}. Chaque exécution en attend un pendant ${wait}\u00a0; après, elle est manquée.`,
    noConsumer: (queue: string) =>
      `Aucun worker en ligne ne consomme la file ${queue}. Ses tâches y attendent qu’un worker le fasse.`,
    changes: "Modifications",
    noChange: "Rien n’est encore modifié.",
    cadenceHint:
      "La cadence modifiée commence avec le prochain tick après l’enregistrement. Les ticks précédents ne sont pas rattrapés.",
    driftHint: (source: string) =>
      `Sa définition vient de ${source}. Le prochain import annule ce que vous modifiez ici\u00a0; jusque-là elle est signalée divergente.`
  },
  recovery: {
    title: "Quarantaine",
    meaning:
      "Elle ne se déclenche pas avant la fin de la quarantaine. Son rattrapage décide alors des ticks intermédiaires.",
    reasons: {
      definition_invalid: "En quarantaine\u00a0: sa définition ne peut pas être évaluée",
      two_owners: "En quarantaine\u00a0: deux agents la publient différemment",
      outcome_unknown: "En quarantaine\u00a0: le résultat d’un déclenchement est inconnu"
    },
    steps: {
      definition_invalid:
        "Modifiez ou importez la planification avec une définition évaluable. Cela met fin à la quarantaine, et elle commence avec son prochain tick.",
      two_owners:
        "Rendez les deux définitions égales, ou arrêtez l’un des agents. La quarantaine prend fin d’elle-même quand il reste une définition.",
      outcome_unknown:
        "Déterminez si la tâche du déclenchement s’est exécutée, par exemple dans le journal du moteur. Indiquez-le ensuite ici. Le déclenchement n’est jamais répété."
    },
    resolve: "Résoudre",
    resolveFire: "Résoudre le déclenchement",
    resolveHint: "Déterminez si sa tâche s’est exécutée, puis indiquez-le. Le déclenchement n’est jamais répété.",
    resolveTitle: (tick: string) => `Résoudre le déclenchement du ${tick}`,
    resolveExplained:
      "Le déclenchement a été envoyé, et son résultat est inconnu. Votre réponse est définitive, et rien n’est renvoyé. Pour exécuter la tâche maintenant, déclenchez la planification.",
    commandIs: (status: string) =>
      `Sa commande\u00a0: ${status}. Si cela change avant votre réponse, la réponse est refusée.`,
    question: "Qu’avez-vous constaté\u00a0?",
    choices: { yes: "La tâche s’est exécutée, ou a pu s’exécuter", no: "La tâche ne s’est pas exécutée" },
    choiceHints: {
      yes: "Le déclenchement est résolu comme exécuté.",
      no: "Le déclenchement est résolu comme non exécuté."
    },
    disableAfter: "Désactiver aussi la planification",
    disableAfterHint: "Sinon elle continue dès qu’aucun autre déclenchement n’est à résoudre.",
    evidenceFireHint: "Il n’a pas de commande, et attend. Vous pouvez le résoudre pour qu’il ne soit pas envoyé.",
    legacy: "Planificateurs sans fencing",
    legacySummary:
      "Pour les déclenchements que svc n’a pas enregistrés ou envoyés, et pour les planificateurs qui ne connaissent pas les numéros de fencing",
    evidence: "Un déclenchement que svc n’a pas enregistré, ou pas envoyé",
    evidenceHint:
      "Une commande terminée de cette planification dont le déclenchement n’est pas enregistré, ou un déclenchement enregistré sans commande. Votre réponse est définitive\u00a0: son tick ne se déclenche plus.",
    resolveEvidence: "Résoudre l’indice",
    fireId: "Identifiant du déclenchement",
    evidenceKind: "Indice",
    evidenceKinds: {
      command: "Une commande dont le déclenchement n’est pas enregistré",
      fire: "Un déclenchement enregistré sans commande"
    },
    evidenceId: "Identifiant de la commande, ou de la ligne du déclenchement",
    grant: "Autorisation d’un planificateur sans fencing",
    grantHint:
      "Un tel planificateur ne distingue pas une vue ancienne d’une nouvelle. Avec l’autorisation, il peut déclencher cette planification jusqu’à la prochaine action sur elle.",
    granted: "L’autorisation est donnée.",
    notGranted: "Aucun planificateur de ce genre ne peut la déclencher.",
    giveGrant: "Donner l’autorisation",
    revokeGrant: "Retirer l’autorisation",
    quiesced: "Aucune réplique de ce planificateur ne déclenche maintenant, et chacune a relu les planifications",
    quiescedHint: "Sinon un tick peut se déclencher deux fois."
  },
  import: {
    open: "Importer",
    title: "Importer des planifications",
    hint:
      "Un instantané contient les planifications d’une source, comme un dépôt Git. Il est d’abord comparé, et rien n’est écrit avant l’import. Un import se fait en entier ou pas du tout.",
    file: common.file,
    text: "Instantané",
    textHint:
      "JSON\u00a0: une liste de planifications, ou un objet avec schedules, mode et source_filter. Pour du YAML, utilisez svc schedules import.",
    invalid: "Saisissez une liste JSON de planifications.",
    mode: "Mode",
    modes: { upsert: "Insérer et modifier", replace: "Remplacer la source" },
    modeHints: {
      upsert: "Rien n’est supprimé.",
      replace: "Les planifications de la source absentes de l’instantané sont supprimées."
    },
    source: common.source,
    sourceHint: "La source de toutes les planifications de l’instantané. Le remplacement l’exige.",
    compare: "Comparer",
    submit: "Importer",
    refused: "L’instantané est refusé",
    difference: "Ce que l’import modifierait",
    nothing: "Rien ne changerait.",
    counts: (inserted: string, updated: string, deleted: string) =>
      `${inserted} nouvelles, ${updated} modifiées, ${deleted} supprimées`,
    unchanged: (count: string) => `${count} inchangées`,
    kinds: { inserted: "nouvelle", updated: "modifiée", deleted: "supprimée" },
    question: "Importer cet instantané\u00a0?",
    questionHint:
      "Les changements faits par des utilisateurs à ces planifications sont annulés. Les cadences modifiées commencent avec le prochain tick.",
    done: "Importé",
    adminsOnly: "Seuls les administrateurs importent des planifications",
    adminsOnlyHint: "Demandez à un administrateur du projet, ou demandez le rôle."
  },
  dst: {
    gap: "décalé",
    gapHint:
      "L’heure avance\u00a0: cette heure locale n’existe pas ce jour-là, le déclenchement a donc lieu au premier instant suivant.",
    overlap: "double",
    overlapHint: "L’heure recule\u00a0: cette heure locale revient deux fois ce jour-là.",
    next: (moment: string) => `Prochain changement d’heure\u00a0: ${moment}.`
  }
}
