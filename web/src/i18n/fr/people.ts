import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const people: Texts["people"] = {
  title: common.people,
  members: common.members,
  person: "Membre",
  role: "Rôle",
  since: "Membre depuis",
  actions: common.actions,
  you: "vous",
  noMembers: "Aucun membre pour l’instant",
  noMembersHint: "Invitez un utilisateur. Les administrateurs globaux voient le projet sans en être membres.",
  roles: { viewer: "Lecteur", auditor: "Auditeur", operator: common.operator, admin: "Administrateur" },
  roleHints: {
    viewer: "Consulte tout le projet et enregistre des vues. Ne peut acquitter que ses propres alertes.",
    auditor: "Tout ce que peut faire un lecteur, plus le journal d’audit et ses exports.",
    operator:
      "Tout ce que peut faire un lecteur. Relance et annule aussi des tâches, exécute des commandes, modifie les planifications et les règles d’automatisation, acquitte les alertes du projet et voit les approbations.",
    admin:
      "Tout ce que peuvent faire un opérateur et un auditeur, plus les personnes, les agents, les notifications et les paramètres. Décide des approbations et supprime des tâches."
  },
  rolesTitle: "Ce que permet chaque rôle",
  changeRole: "Changer le rôle",
  changeRoleOf: (name: string) => `Changer le rôle de ${name}`,
  roleAppliesAtOnce: "Le nouveau rôle s’applique dès la prochaine requête.",
  remove: "Retirer",
  removeTitle: (name: string) => `Retirer ${name} du projet`,
  removeHint: "Ce membre perd immédiatement l’accès à ce projet. Son compte et ses autres projets sont conservés.",
  removeSelfHint:
    "Il s’agit de vous. Vous perdez immédiatement l’accès à ce projet, et seul un autre administrateur peut vous y ajouter de nouveau.",
  invite: common.invite,
  inviteTitle: "Inviter un utilisateur",
  email: common.email,
  emailHint: "Si cette adresse a un compte, son utilisateur se connecte pour accepter. Sinon, le lien crée le compte.",
  validFor: "Le lien expire dans",
  days: (count: Count) => plural(count, "# jour", "# jours"),
  invitations: common.invitations,
  noInvitations: "Aucune invitation",
  noInvitationsHint:
    "Une invitation reste dans cette liste jusqu’à ce qu’elle soit acceptée, révoquée ou expirée, et quelque temps après.",
  status: common.status,
  statuses: { pending: "En attente", accepted: "Acceptée", revoked: common.revoked, expired: common.expired },
  expires: common.expires,
  revoke: "Révoquer",
  revokeOf: (email: string) => `Révoquer l’invitation de ${email}`,
  invitedTitle: (email: string) => `${email} est invité`,
  mailSent: "Un e-mail contenant ce lien est en attente d’envoi. Vous pouvez aussi envoyer le lien vous-même.",
  mailNotSent: "Ce serveur n’envoie pas d’e-mails. Envoyez le lien vous-même.",
  link: "Lien de l’invitation",
  linkHint:
    "Le lien n’est affiché qu’une fois et ne fonctionne qu’une fois. Une invitation ultérieure de la même adresse l’annule."
}
