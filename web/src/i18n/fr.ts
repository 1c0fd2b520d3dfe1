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
import { deadLetters } from "./fr/deadLetters.ts"
import { deliveries } from "./fr/deliveries.ts"
import { exportJobs } from "./fr/exportJobs.ts"
import { failures } from "./fr/failures.ts"
import { home } from "./fr/home.ts"
import { inbox } from "./fr/inbox.ts"
import { keys } from "./fr/keys.ts"
import { maintenance } from "./fr/maintenance.ts"
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
  productName: "svc",
  loading: "Chargement",
  skipToContent: "Aller au contenu",
  close: "Fermer",
  cancel: "Annuler",
  copy: "Copier",
  copied: "Copié",
  none: "aucune",
  older: "Charger plus",
  forms: {
    typeToConfirm: (phrase: string) => `Saisissez ${phrase} pour confirmer`,
    save: "Enregistrer",
    create: "Créer",
    edit: "Modifier",
    delete: "Supprimer",
    optional: "facultatif",
    awaitsApproval: "En attente d’approbation",
    done: "Terminé",
    saved: "Enregistré."
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
    toHome: "Voir tous les projets"
  },
  live: {
    live: "En direct",
    connecting: "Reconnexion",
    paused: "En pause",
    pause: "Suspendre l’actualisation",
    resume: "Reprendre l’actualisation",
    trueAt: (time: string) => `actualisé\u00a0: ${time}`
  },
  session: {
    title: "Connexion",
    email: "Adresse e-mail",
    password: "Mot de passe",
    remember: "Rester connecté sur cet appareil",
    submit: "Se connecter",
    forgot: "Mot de passe oublié\u00a0?",
    provider: "Se connecter avec votre fournisseur",
    codeTitle: "Second facteur",
    codeHint: "Le code de votre application d’authentification ou l’un de vos codes de récupération.",
    code: "Code",
    trust: "Ne plus demander sur cet appareil",
    verify: "Continuer",
    signOut: "Se déconnecter",
    ended: "Votre session a pris fin. Connectez-vous pour reprendre où vous en étiez."
  },
  settings: {
    theme: "Thème",
    themes: { system: "Système", light: "Clair", dark: "Sombre" },
    language: "Langue",
    zone: "Heures",
    zones: { browser: "Dans le fuseau de ce navigateur", utc: "En UTC", project: "Dans le fuseau du projet" },
    account: "Compte et paramètres"
  },
  nav: {
    label: "Pages du projet",
    allProjects: "Tous les projets",
    overview: "Aperçu",
    tasks: "Tâches",
    commands: "Commandes",
    queues: "Files",
    workers: "Workers",
    agents: "Agents",
    switchProject: "Changer de projet",
    failures: "Échecs",
    schedules: "Planifications",
    notifications: "Notifications",
    automation: "Automatisation",
    approvals: "Approbations",
    activity: "Activité",
    audit: "Journal d’audit",
    people: "Personnes",
    settings: "Paramètres",
    inbox: "Boîte de réception",
    system: "Système",
    users: "Utilisateurs",
    account: "Compte",
    more: "Autres pages"
  },
  states: {
    pending: "En attente",
    received: "Reçue",
    started: "Démarrée",
    success: "Réussie",
    failure: "En échec",
    retry: "En relance",
    revoked: "Révoquée",
    rejected: "Rejetée",
    unknown: "Inconnue"
  },
  home,
  attention,
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
