import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const apiKeys: Texts["apiKeys"] = {
  title: common.apiKeys,
  hint:
    "Les clés permettent à des programmes d’appeler l’API en votre nom. Une clé ne peut jamais faire plus que vous, ni plus que ne permettent ses portées.",
  none: "Aucune clé d’API",
  noneHint: "Créez-en une pour un script, ou pour svc sur une autre machine.",
  create: "Créer une clé d’API",
  name: common.name,
  nameHint: "Le programme qui utilise la clé.",
  project: common.project,
  projectHint: "Une clé d’un projet n’en voit aucun autre.",
  allProjects: common.allProjects,
  lifetime: "Expire dans",
  forEver: "Jamais",
  scopes: "Portées",
  scopesHint: "Ne donnez à une clé que ce dont son programme a besoin.",
  noScopes: "aucune portée",
  presets: {
    ci_deploys: "CI\u00a0: déploiements seuls",
    read_only: "Lecture seule",
    operator: common.operator,
    agent_provisioning: "Création d’agents",
    metrics: "Tableaux de bord et métriques"
  },
  chooseNone: "Aucune",
  addresses: "Adresses IP",
  addressesHint:
    "Des réseaux tels que 192.0.2.0/24, un par ligne. Depuis d’autres adresses, la clé est refusée. Vide\u00a0: elle fonctionne de partout.",
  addressesOf: (name: string) => `Adresses IP de ${name}`,
  statuses: { active: common.active, revoked: common.revoked, expired: common.expired },
  lastUsed: "Dernière utilisation",
  never: common.never,
  revokeTitle: (name: string) => `Révoquer ${name}`,
  revokeHint:
    "Les programmes qui utilisent cette clé sont refusés immédiatement. Une clé révoquée ne peut pas être rétablie.",
  createdTitle: (name: string) => `${name} créée`,
  tokenHint: "Le jeton n’est affiché qu’une fois. Le serveur n’en conserve qu’une empreinte.",
  token: "Jeton",
  tryIt: "Essayer",
  resources: {
    auth: "Compte personnel",
    home: "Accueil",
    projects: common.projects,
    tasks: common.tasks,
    workers: common.workers,
    queues: common.queues,
    agents: common.agents,
    commands: common.commands,
    schedules: common.schedules,
    audit: common.auditLog,
    memberships: common.people,
    notifications: common.notifications,
    automation: common.automation,
    deploys: common.deploys,
    users: common.users,
    admin: "Tout"
  },
  scopeHints: {
    "auth:read": "Voir votre compte, les règles de mot de passe, vos clés d’API et les portées.",
    "auth:write": "Révoquer vos clés d’API, y compris celle-ci.",
    "home:read": "Voir le résumé de tous les projets, les échecs récents et l’état du serveur.",
    "projects:read": "Voir les projets avec leurs paramètres et les approbations en attente.",
    "projects:write":
      "Modifier les paramètres, décider des approbations et supprimer des projets avec toutes leurs tâches. Portée étendue.",
    "tasks:read": "Voir les tâches avec arguments et résultats, les échecs, les tendances et les événements en direct.",
    "tasks:write": "Enregistrer des vues, et assigner, mettre en sourdine et résoudre des groupes d’échecs.",
    "tasks:delete": "Supprimer de nombreuses tâches à la fois.",
    "workers:read": "Voir les workers et les conseils sur leur configuration.",
    "queues:read": "Voir les files et leur profondeur.",
    "agents:read": "Voir les agents et leurs connexions.",
    "agents:write":
      "Créer et supprimer des agents, qui reçoivent des commandes et signalent des tâches. Portée étendue.",
    "commands:read": "Voir les commandes et leurs résultats.",
    "commands:write":
      "Relancer, annuler et exécuter des tâches avec des arguments quelconques, vider des files, redémarrer des workers. Portée étendue.",
    "schedules:read": "Voir les planifications avec leurs déclenchements.",
    "schedules:write": "Créer, modifier, déclencher et supprimer des planifications.",
    "audit:read": "Voir le journal d’audit et l’activité.",
    "audit:write": "Lancer des exports du journal d’audit.",
    "memberships:read": "Voir les membres et les invitations.",
    "memberships:write": "Inviter des utilisateurs, modifier et retirer des membres.",
    "notifications:read": "Voir les canaux, les alertes, les envois et votre boîte de réception.",
    "notifications:write":
      "Modifier les canaux et les abonnements, acquitter des alertes et marquer votre boîte de réception comme lue.",
    "automation:read": "Voir les règles d’automatisation avec leurs exécutions.",
    "automation:write": "Créer, modifier et supprimer des règles d’automatisation.",
    "deploys:read":
      "Voir quand des versions ont été déployées, et les autres repères des graphiques\u00a0: commandes, règles, exécutions manquées et fenêtres de maintenance.",
    "deploys:write":
      "Marquer des déploiements et supprimer ces marques. C’est tout ce qu’il faut à une tâche de déploiement.",
    "users:read": "Voir tous les comptes. Seuls les administrateurs globaux peuvent l’accorder.",
    "users:write": "Créer, modifier et supprimer des comptes. Seuls les administrateurs globaux peuvent l’accorder.",
    "admin:*":
      "Tout ce que vous pouvez faire, y compris ce qu’ajouteront des versions ultérieures. Seuls les administrateurs globaux peuvent l’accorder."
  }
}
