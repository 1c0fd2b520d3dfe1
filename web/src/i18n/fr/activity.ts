import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { plural } from "./plural.ts"

export const activity: Texts["activity"] = {
  title: "Activité",
  ofAll: "Activité de tous les projets",
  none: "Rien ne s’est encore passé",
  noneHint: "Chaque modification du projet apparaît ici, qu’elle vienne d’un utilisateur ou de svc lui-même.",
  noMatch: "Aucune correspondance",
  noMatchHint: "Choisissez une autre action ou un autre utilisateur.",
  actions: "Actions",
  allActions: "Toutes les actions",
  otherActions: (prefix) => `Actions commençant par ${prefix}`,
  person: "Utilisateur",
  everyone: "Tous les utilisateurs",
  onlyPerson: (name) => `Seulement les actions de ${name}`,
  newRows: (count: Count) => plural(count, "# nouvelle", "# nouvelles"),
  action: "Action",
  target: "Cible",
  project: "Projet",
  details: "Détails",
  time: "Heure",
  denied: "Refusée",
  failed: "En échec",
  areas: {
    "task.": "Tâches",
    "command.": "Commandes",
    "bulk_job.": "Traitements groupés",
    "bulk_retry.": "Relances groupées",
    "dlq.": "Dead letters",
    "schedule": "Planifications",
    "automation.": "Automatisation",
    "approval.": "Approbations",
    "alert.": "Alertes",
    "channel.": "Canaux",
    "subscription.": "Abonnements",
    "maintenance_window.": "Fenêtres de maintenance",
    "agent.": "Agents",
    "project.": "Projets",
    "membership.": "Membres",
    "invitation.": "Invitations",
    "user.": "Utilisateurs",
    "auth.": "Connexion",
    "api_key.": "Clés d’API",
    "access.": "Accès refusés",
    "audit.": "Journal d’audit"
  }
}
