import type { Texts } from "./en.ts"
import { account } from "./fr/account.ts"
import { activity } from "./fr/activity.ts"
import { agents } from "./fr/agents.ts"
import { alerts } from "./fr/alerts.ts"
import { apiKeys } from "./fr/apiKeys.ts"
import { approvals } from "./fr/approvals.ts"
import { attention } from "./fr/attention.ts"
import { audit } from "./fr/audit.ts"
import { automation } from "./fr/automation.ts"
import { bulkJobs } from "./fr/bulkJobs.ts"
import { bulkRetries } from "./fr/bulkRetries.ts"
import { channels } from "./fr/channels.ts"
import { commands } from "./fr/commands.ts"
import { common } from "./fr/common.ts"
import { deadLetters } from "./fr/deadLetters.ts"
import { deliveries } from "./fr/deliveries.ts"
import { differences } from "./fr/differences.ts"
import { exportJobs } from "./fr/exportJobs.ts"
import { failures } from "./fr/failures.ts"
import { home } from "./fr/home.ts"
import { inbox } from "./fr/inbox.ts"
import { keys } from "./fr/keys.ts"
import { maintenance } from "./fr/maintenance.ts"
import { names } from "./fr/names.ts"
import { notifications } from "./fr/notifications.ts"
import { oldRows } from "./fr/oldRows.ts"
import { overview } from "./fr/overview.ts"
import { ownNotifications } from "./fr/ownNotifications.ts"
import { palette } from "./fr/palette.ts"
import { people } from "./fr/people.ts"
import { persons } from "./fr/persons.ts"
import { projectSettings } from "./fr/projectSettings.ts"
import { queues } from "./fr/queues.ts"
import { schedules } from "./fr/schedules.ts"
import { secondFactor } from "./fr/secondFactor.ts"
import { subscriptions } from "./fr/subscriptions.ts"
import { system } from "./fr/system.ts"
import { task } from "./fr/task.ts"
import { tasks } from "./fr/tasks.ts"
import { users } from "./fr/users.ts"
import { workers } from "./fr/workers.ts"

export const fr: Texts = {
  common,
  productName: "svc",
  loading: common.loading,
  skipToContent: "Aller au contenu",
  skipToList: "Aller à la liste",
  close: "Fermer",
  cancel: common.cancel,
  keepRunning: "Laisser continuer",
  copy: common.copy,
  copied: "Copié",
  none: "aucune",
  older: "Charger plus",
  forms: {
    typeToConfirm: (phrase: string) => `Saisissez ${phrase} pour confirmer`,
    save: "Enregistrer",
    create: common.create,
    edit: common.edit,
    delete: common.delete,
    optional: "facultatif",
    awaitsApproval: "En attente d’approbation",
    done: "Terminé",
    saved: "Enregistré.",
    durationProblem: "Saisissez une durée, par exemple 15 min ou 4 h.",
    durationRange: (min: string, max: string) => `Saisissez une durée de ${min} à ${max}.`,
    requested: "En attente d’approbation. Rien n’a encore été modifié."
  },
  stepUp: {
    title: "Confirmez votre identité",
    hint: "Saisissez de nouveau votre mot de passe ou un code. La dernière saisie date de plus de quelques minutes."
  },
  error: {
    title: "Impossible de charger cette page",
    actionTitle: "L’action a échoué",
    unreachable: "Serveur injoignable. Les données peuvent être périmées.",
    noProblem: (status: string) =>
      `Un autre programme a répondu, avec le statut ${status}. Vérifiez le reverse proxy placé devant le serveur.`,
    requestId: "ID de la requête",
    retry: "Réessayer",
    notFound: "Page introuvable",
    notFoundHint: "L’adresse est peut-être ancienne ou mal saisie.",
    noProject: "Projet introuvable",
    noProjectHint: "Il a peut-être été renommé ou supprimé, ou vous n’en êtes pas membre.",
    toHome: "Voir tous les projets"
  },
  connection: {
    lost: "Connexion perdue, nouvelle tentative en cours",
    upgraded: "Le serveur a été mis à jour",
    reloads: "La page va se recharger.",
    saveFirst: "Enregistrez vos modifications, puis rechargez la page.",
    reload: "Recharger la page"
  },
  unsaved: {
    title: "Abandonner les modifications non enregistrées ?",
    keep: "Continuer la saisie",
    discard: "Abandonner les modifications"
  },
  wall: {
    open: "Vue murale",
    leave: "Quitter la vue murale",
    signedOut: "Déconnecté. Connectez-vous pour afficher la vue murale.",
    lost: "Pas de connexion au serveur",
    lostSince: (time: string) => `Pas de connexion au serveur. Situation\u00a0: ${time}.`
  },
  live: {
    live: "En direct",
    connecting: "Reconnexion",
    paused: common.paused,
    pause: "Suspendre l’actualisation",
    resume: "Reprendre l’actualisation",
    trueAt: common.asOf
  },
  session: {
    title: "Connexion",
    email: common.email,
    password: common.password,
    remember: "Rester connecté sur cet appareil",
    submit: "Se connecter",
    forgot: "Mot de passe oublié\u00a0?",
    provider: "Se connecter avec votre fournisseur",
    codeTitle: common.secondFactor,
    codeHint: "Le code de votre application d’authentification ou l’un de vos codes de récupération.",
    code: "Code",
    trust: "Ne plus demander sur cet appareil",
    verify: common.continue,
    signOut: "Se déconnecter",
    ended: "Votre session a pris fin. Connectez-vous pour reprendre où vous en étiez."
  },
  settings: {
    theme: "Thème",
    themes: { system: common.system, light: "Clair", dark: "Sombre" },
    language: "Langue",
    zone: "Heures",
    zones: { browser: "Dans le fuseau de ce navigateur", utc: "En UTC", project: "Dans le fuseau du projet" },
    account: "Compte et paramètres"
  },
  nav: {
    label: "Pages du projet",
    allProjects: common.allProjects,
    overview: common.overview,
    tasks: common.tasks,
    commands: common.commands,
    queues: common.queues,
    workers: common.workers,
    agents: common.agents,
    switchProject: "Changer de projet",
    failures: common.failures,
    schedules: common.schedules,
    notifications: common.notifications,
    automation: common.automation,
    approvals: common.approvals,
    activity: common.activity,
    audit: common.auditLog,
    people: common.people,
    settings: common.settings,
    inbox: common.inbox,
    system: common.system,
    users: common.users,
    account: common.account,
    more: "Autres pages"
  },
  states: {
    pending: "En attente",
    received: "Reçue",
    started: "Démarrée",
    success: common.succeededTask,
    failure: common.failedTask,
    retry: "En relance",
    revoked: common.revoked,
    rejected: common.rejected,
    unknown: common.unknown
  },
  home,
  attention,
  names,
  overview,
  account,
  apiKeys,
  secondFactor,
  projectSettings,
  users,
  system,
  people,
  tasks,
  task,
  failures,
  deadLetters,
  commands,
  bulkJobs,
  bulkRetries,
  exportJobs,
  queues,
  schedules,
  workers,
  agents,
  notifications,
  alerts,
  activity,
  audit,
  automation,
  approvals,
  persons,
  oldRows,
  keys,
  palette,
  channels,
  subscriptions,
  deliveries,
  differences,
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "Notifications",
    retry: (what: string) => `Relancer\u00a0: ${what}`,
    cancel: (what: string) => `Annuler\u00a0: ${what}`,
    refused: "Refus",
    noAgent: "Le projet n’a aucun agent pour ce moteur\u00a0; rien ne peut donc exécuter la commande."
  }
}
