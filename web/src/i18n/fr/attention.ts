import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const attention: Texts["attention"] = {
  title: common.needsAttention,
  calm: "Aucun point d’attention",
  severities: { critical: common.critical, warning: common.warning },
  kinds: {
    agents_offline: (count: Count) => plural(count, "# agent est hors ligne", "# agents sont hors ligne"),
    agents_refused: (count: Count) =>
      plural(
        count,
        "# agent a eu des requêtes refusées ces dernières 24 heures",
        "# agents ont eu des requêtes refusées ces dernières 24 heures"
      ),
    alerts_open: (count: Count) =>
      plural(count, "# alerte ouverte n’est pas acquittée", "# alertes ouvertes ne sont pas acquittées"),
    approvals_waiting: (count: Count) =>
      plural(count, "# action attend une deuxième personne", "# actions attendent une deuxième personne"),
    failure_rate: (count: Count) =>
      `Au moins 20\u00a0% des tâches échouent\u00a0: ${count.text} ces dernières 24 heures`,
    queue_depth: (count: Count) =>
      plural(count, "# file contient au moins 1\u202f000 tâches", "# files contiennent au moins 1\u202f000 tâches"),
    queue_over_target: (count: Count) =>
      plural(
        count,
        "# file a une tâche qui attend plus longtemps que son objectif",
        "# files ont des tâches qui attendent plus longtemps que leur objectif"
      ),
    queue_growth: (count: Count) =>
      plural(count, "# file croît depuis 15 minutes", "# files croissent depuis 15 minutes"),
    queue_unconsumed: (count: Count) =>
      plural(
        count,
        "# file a des tâches en attente et aucun worker ne la consomme",
        "# files ont des tâches en attente et aucun worker ne les consomme"
      ),
    failure_groups_regressed: (count: Count) =>
      plural(count, "# groupe d’échecs résolu est réapparu", "# groupes d’échecs résolus sont réapparus"),
    failure_groups_new: (count: Count) =>
      plural(
        count,
        "# nouveau groupe d’échecs ces dernières 24 heures",
        "# nouveaux groupes d’échecs ces dernières 24 heures"
      ),
    failure_groups_escalating: (count: Count) =>
      plural(
        count,
        "# groupe d’échecs s’aggrave\u00a0: au moins le double de sa pire heure de la veille",
        "# groupes d’échecs s’aggravent\u00a0: au moins le double de leur pire heure de la veille"
      ),
    stuck_commands: (count: Count) =>
      plural(count, "# commande bloquée depuis plus de 5 minutes", "# commandes bloquées depuis plus de 5 minutes"),
    schedule_misfires: (count: Count) =>
      plural(
        count,
        "# exécution planifiée manquée ces dernières 24 heures",
        "# exécutions planifiées manquées ces dernières 24 heures"
      ),
    channels_disabled: (count: Count) => plural(count, "# canal est désactivé", "# canaux sont désactivés"),
    breakers_tripped: (count: Count) =>
      plural(count, "Le disjoncteur de # règle a sauté", "Le disjoncteur de # règles a sauté"),
    schedules_tripped: (count: Count) =>
      plural(count, "# planification désactivée par le disjoncteur", "# planifications désactivées par le disjoncteur")
  },
  lastSeen: (name: string, time: string) => `${name}\u00a0: vu pour la dernière fois ${time}`,
  neverConnected: (name: string) => `${name}\u00a0: ne s’est jamais connecté`,
  refused: (name: string, reason: string) => `${name}\u00a0: ${reason}`
}
