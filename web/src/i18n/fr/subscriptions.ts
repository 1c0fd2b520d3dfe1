import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const subscriptions: Texts["subscriptions"] = {
  title: common.subscriptions,
  create: "Nouvel abonnement",
  edit: "Modifier l’abonnement",
  defaultsHint:
    "Les abonnements par défaut du projet. Ils envoient à ses canaux et à la boîte de réception de chaque membre.",
  ownHint: "Ce dont vous êtes averti, en plus des abonnements par défaut de vos projets.",
  none: "Aucun abonnement pour l’instant",
  noneHint:
    "Créez-en un pour les tâches en échec\u00a0: 30 secondes après le premier échec, ses canaux reçoivent un message.",
  noChannels: "Il n’y a pas encore de canal.",
  inactiveChannel: (name: string) => `${name} (inactif)`,
  hiddenChannels: "Seuls les administrateurs du projet voient ses canaux. Ceux qui sont choisis restent.",
  hiddenCount: (count: Count) => plural(count, "# canal du projet", "# canaux du projet"),
  parts: {
    filters: common.filters,
    targets: common.recipients,
    grouping: "Regroupement",
    sendHours: "Heures d’envoi",
    escalation: "Escalade"
  },
  filterHint: "Tous les filtres doivent correspondre. Un filtre vide correspond à tout.",
  patternHint: "Par exemple shop.*, avec la syntaxe de fnmatch de Python.",
  secondPatternHint: "Les deux motifs doivent correspondre.",
  noPriority: "aucune",
  noneMeansAll: "Sans choix\u00a0: tout",
  priorities: { low: common.low, normal: common.normal, high: common.high, critical: common.critical },
  fields: {
    preset: "Modèle",
    trigger: common.trigger,
    project: common.project,
    task_name: common.taskName,
    task_name_pattern: "Second motif",
    queue: common.queue,
    engine: common.engine,
    priority: "Priorités",
    rate_percent: "Part des tâches en échec (%)",
    window_seconds: "Sur une durée de",
    min_tasks: "Sur au moins (tâches)",
    wait_seconds: "Premier message après",
    interval_seconds: "Envoyer les nouveautés toutes les",
    repeat_seconds: "Rappeler sans changement toutes les",
    cooldown_seconds: "Pas de répétition pendant",
    send_mode: "Envoyer les messages",
    start: "De",
    end: "À",
    timezone: common.timeZone,
    days: "Commencent le",
    after_minutes: "Sans acquittement pendant"
  },
  inAppAll: "La boîte de réception de chaque membre",
  inAppOwn: "Ma boîte de réception",
  ownChannels: common.myChannels,
  projectChannels: "Canaux du projet",
  isGrouped: "Regrouper les occurrences en peu de messages",
  groupingHint: "Sinon, chaque occurrence donne aussitôt un message.",
  notifyRecovery: "Envoyer un message au rétablissement",
  noPreset: "Formulaire vide",
  presets: {
    critical: "Tout ce qui est critique",
    lastRetry: "Tentatives épuisées",
    nightWatch: "Garde de nuit",
    failureRate: "Beaucoup d’échecs à la fois",
    agents: "Agents hors ligne",
    missedSchedules: "Planifications manquées",
    brokenSchedules: "Planifications suspendues"
  },
  sendModes: { always: "À toute heure", only: "Seulement pendant ces heures", except: "Sauf pendant ces heures" },
  sendHint:
    "Les messages dus à d’autres heures attendent le début de l’envoi\u00a0: un par alerte, et aucun si elle est rétablie d’ici là.",
  alwaysCritical: "Envoyer les messages critiques à toute heure",
  days: { mon: "lun.", tue: "mar.", wed: "mer.", thu: "jeu.", fri: "ven.", sat: "sam.", sun: "dim." },
  isEscalated: "Avertir d’autres canaux si l’alerte n’est pas acquittée",
  escalationHint: "Ils reçoivent un message, puis celui du rétablissement.",
  states: { active: "Actif", muted: "En silence, se termine", off: "Désactivé" },
  inbox: "boîte de réception",
  goesTo: (targets: string) => `Vers\u00a0: ${targets}`,
  noTargets: "Vers aucun canal ni boîte de réception\u00a0: ses alertes sont seulement enregistrées.",
  eachOccurrence: "Un message par occurrence",
  sendHoursText: {
    only: (start: string, end: string, zone: string) => `Envoi seulement de ${start} à ${end} (${zone})`,
    except: (start: string, end: string, zone: string) => `Pas d’envoi de ${start} à ${end} (${zone})`
  },
  escalatesAfter: (duration: string) => `Escalade après ${duration}`,
  rateText: (percent: string, duration: string, tasks: string) =>
    `${percent} en ${duration}, sur au moins ${tasks} tâches`,
  allEvents: "Tous les événements",
  lastFired: common.lastMessage,
  neverFired: "Aucun message pour l’instant",
  actions: {
    edit: common.edit,
    mute: "Mettre en silence",
    changeMute: "Modifier le silence",
    enable: "Activer",
    disable: common.turnOff,
    delete: common.delete
  },
  muteTitle: "Mettre l’abonnement en silence",
  muteHint: "D’ici là, rien n’est enregistré ni envoyé.",
  muteOther: "Mettre en silence jusqu’à cette heure",
  endMute: "Mettre fin au silence",
  deleteTitle: (trigger: string) => `Supprimer l’abonnement «\u00a0${trigger}\u00a0»`,
  deleteHint:
    "Ses alertes sont supprimées avec lui, y compris celles qui sont ouvertes. Le journal des envois est conservé."
}
