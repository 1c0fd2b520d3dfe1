import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const workers: Texts["workers"] = {
  title: common.workers,
  tabs: { workers: common.workers, running: "En cours", processes: "Processus des agents" },
  board: {
    title: "Ce qui s’exécute, par worker",
    elapsed: "Écoulé",
    usual: "Habituel, jusqu’à",
    longer: "plus long que d’habitude",
    stale: "worker pas en ligne",
    unknownWorker: "Worker non signalé",
    busy: (busy: string) => `${busy} en cours`,
    slots: (busy: string, slots: string) => `${busy} slots occupés sur ${slots}`,
    none: "Aucun worker et rien en cours",
    noneHint: "Les tâches en cours apparaissent ici dès qu’un agent les signale.",
    more: (count: Count) =>
      plural(
        count,
        "# autre tâche s’exécute. Les premières reçues sont affichées.",
        "# autres tâches s’exécutent. Les premières reçues sont affichées."
      )
  },
  filter: "Chercher un worker",
  filterProcesses: "Chercher un processus",
  name: common.worker,
  process: "Processus",
  agent: common.agent,
  state: common.status,
  engine: common.engine,
  host: common.host,
  pid: "ID du processus",
  role: "Rôle",
  framework: common.framework,
  started: "Démarré",
  lastSeen: common.lastSeen,
  actions: common.actions,
  queue: common.queue,
  queues: common.queues,
  concurrency: "Pool",
  load: "Charge, 1 5 15 min",
  active: "En cours",
  processed: "Traitées",
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  retried: "Relancées",
  heartbeat: "Dernier heartbeat",
  facts: common.details,
  report: "Rapport du moteur",
  running: "Tâches en cours",
  allTasks: "Toutes les tâches de ce worker",
  reading: common.loading,
  idle: "Inactif",
  findings: "Réglages à risque",
  noFinding: "Ses réglages ne présentent aucun risque connu.",
  notEvaluated: "Son moteur ne signale pas ses réglages.",
  severities: { error: common.error, warning: common.warning, info: "Remarque" },
  none: "Pas encore de worker",
  noneHint: "Les workers apparaissent lorsqu’un agent les signale.",
  noProcess: "Pas encore de processus",
  noProcessHint: "Un processus apparaît lorsqu’il se connecte avec le jeton d’un agent.",
  others: (count: string, group: string) => `${count} ${group} hors ligne`,
  states: {
    online: "En ligne",
    offline: "Hors ligne",
    gone: "Disparu",
    draining: "En vidange",
    unknown: "Inconnu",
    failed: common.failed
  },
  do: {
    pool_grow: common.addSlots,
    pool_shrink: common.removeSlots,
    add_consumer: "Ajouter une file",
    cancel_consumer: "Retirer une file",
    rate_limit: common.setRateLimit,
    restart_worker: "Redémarrer"
  },
  question: {
    pool_grow: (name: string) => `Ajouter des slots à ${name}\u00a0?`,
    pool_shrink: (name: string) => `Retirer des slots de ${name}\u00a0?`,
    add_consumer: (name: string) => `Faire consommer une autre file par ${name}\u00a0?`,
    cancel_consumer: (name: string) => `Arrêter la consommation d’une file par ${name}\u00a0?`,
    rate_limit: (name: string) => `Définir une limite de débit sur ${name}\u00a0?`,
    restart_worker: (name: string) => `Redémarrer ${name}\u00a0?`
  },
  hint: {
    pool_grow: "Le worker exécute alors plus de tâches à la fois, jusqu’à son redémarrage.",
    pool_shrink: "Les tâches en cours se terminent d’abord. Il reste au moins un slot.",
    add_consumer: "En plus de ses propres files, jusqu’à son redémarrage.",
    cancel_consumer: "Les messages en attente restent dans la file. Ses autres files continuent.",
    rate_limit: "La limite vaut sur ce worker jusqu’à son redémarrage.",
    restart_worker: "Les tâches en cours se terminent d’abord, selon ce que fait le moteur."
  },
  runningNow: (count: Count) => plural(count, "# tâche est en cours.", "# tâches sont en cours."),
  count: "Slots",
  taskName: common.taskName,
  rate: "Limite de débit",
  rateHint: "Par exemple 10/m\u00a0: un nombre suivi de /s, /m ou /h. 0 supprime la limite.",
  restart: "Redémarrer",
  restartQuestion: (name: string) => `Redémarrer le processus ${name}\u00a0?`,
  restartNotice: (name: string) => `Redémarrer\u00a0: ${name}`,
  restartProcessHint: "Le processus s’arrête et son superviseur doit le redémarrer. Sans superviseur, il reste arrêté."
}
