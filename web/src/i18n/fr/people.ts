import type { Texts } from "../en.ts"

export const people: Texts["people"] = {
  title: "Personnes",
  members: "Membres",
  person: "Personne",
  role: "Rôle",
  since: "Membre depuis",
  actions: "Actions",
  you: "vous",
  noMembers: "Aucun membre pour l’instant",
  noMembersHint: "Invitez une personne. Les administrateurs globaux voient le projet sans en être membres.",
  roles: { viewer: "Lecteur", auditor: "Auditeur", operator: "Opérateur", admin: "Administrateur" },
  roleHints: {
    viewer:
      "Voit les tâches, les planifications, les files et les workers, enregistre des vues et acquitte les alertes. Ne modifie rien d’autre.",
    auditor: "Voit ce que voit un lecteur, ainsi que le journal d’audit, et l’exporte.",
    operator:
      "Voit ce que voit un lecteur. Relance et annule des tâches, exécute des commandes, modifie les planifications et les règles d’automatisation.",
    admin:
      "Fait tout cela, gère les personnes, les agents, les notifications et les paramètres, et supprime des tâches."
  },
  rolesTitle: "Ce que permet chaque rôle",
  changeRole: "Changer le rôle",
  changeRoleOf: (name: string) => `Changer le rôle de ${name}`,
  roleAppliesAtOnce: "Le nouveau rôle s’applique dès la prochaine requête.",
  remove: "Retirer",
  removeTitle: (name: string) => `Retirer ${name} du projet`,
  removeHint: "La personne perd immédiatement l’accès à ce projet. Le compte et ses autres projets sont conservés.",
  removeSelfHint:
    "Il s’agit de vous. Vous perdez immédiatement l’accès à ce projet, et seul un autre administrateur peut vous y ajouter de nouveau.",
  invite: "Inviter",
  inviteTitle: "Inviter une personne",
  email: "Adresse e-mail",
  emailHint: "Si un compte existe pour cette adresse, la personne se connecte pour accepter ; sinon, le lien le crée.",
  validFor: "Validité du lien",
  days: (count: string) => `${count} jours`,
  invitations: "Invitations",
  noInvitations: "Aucune invitation",
  noInvitationsHint:
    "Une invitation reste dans cette liste jusqu’à ce qu’elle soit acceptée, révoquée ou expirée, et quelque temps après.",
  status: "État",
  statuses: { pending: "En attente", accepted: "Acceptée", revoked: "Révoquée", expired: "Expirée" },
  expires: "Expire",
  revoke: "Révoquer",
  revokeOf: (email: string) => `Révoquer l’invitation de ${email}`,
  invitedTitle: (email: string) => `${email} est invité`,
  mailSent: "Un e-mail contenant ce lien est en attente d’envoi. Vous pouvez aussi envoyer le lien vous-même.",
  mailNotSent: "Ce serveur brain n’envoie pas d’e-mails. Envoyez le lien vous-même.",
  link: "Lien de l’invitation",
  linkHint:
    "Le lien n’est affiché que maintenant. Il fonctionne une fois. Une invitation ultérieure de la même adresse l’annule."
}
