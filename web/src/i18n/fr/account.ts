import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const account: Texts["account"] = {
  title: common.account,
  tabs: { profile: "Profil", security: "Sécurité", sessions: "Sessions", keys: common.apiKeys },
  profile: "Profil",
  displayName: "Nom affiché",
  displayNameHint: "S’il est vide, les autres voient l’adresse e-mail.",
  firstName: "Prénom",
  lastName: "Nom",
  zone: common.timeZone,
  zoneHint:
    "Les e-mails et résumés qui vous sont adressés l’utilisent. Les heures de ce tableau de bord suivent le choix du menu du compte.",
  access: "Accès",
  everywhere: common.allProjects,
  globalAdmin: "Administrateur global",
  password: common.password,
  changePassword: "Changer le mot de passe",
  passwordHint:
    "Un nouveau mot de passe met fin à toutes les autres sessions et aux navigateurs de confiance. Les clés d’API continuent de fonctionner\u00a0; révoquez celles que vous ne connaissez pas.",
  currentPassword: "Mot de passe actuel",
  newPassword: "Nouveau mot de passe",
  passwordAgain: "Nouveau mot de passe, encore une fois",
  passwordRule: (length: string) =>
    `Au moins ${length} caractères. Les mots de passe courants et les mots vous concernant sont refusés.`,
  passwordsDiffer: "Les nouveaux mots de passe ne correspondent pas.",
  passwordChanged: "Les autres sessions et les navigateurs de confiance ont pris fin.",
  providers: "Connexion par un fournisseur",
  provider: "le fournisseur",
  link: (provider: string) => `Associer ${provider}`,
  noProviders: "Aucun compte du fournisseur n’est associé. Un compte associé se connecte ici sans mot de passe.",
  lastUsed: "dernière utilisation",
  unlink: "Dissocier",
  unlinkTitle: (name: string) => `Dissocier ${name}`,
  unlinkHint:
    "Ce compte du fournisseur ne pourra plus se connecter ici. Les sessions qu’il a ouvertes sont conservées.",
  sessionsHint: "Les navigateurs dans lesquels vous êtes connecté. Une session terminée doit se reconnecter.",
  browser: "Navigateur",
  unknownBrowser: "Navigateur inconnu",
  thisSession: "cette session",
  address: common.ipAddress,
  signedIn: "Connexion",
  lastSeen: "Dernière activité",
  end: "Terminer",
  endOf: (address: string) => `Terminer la session depuis ${address}`,
  endOthers: "Terminer toutes les autres",
  endOthersTitle: (count: Count) => plural(count, "Terminer # autre session", "Terminer # autres sessions")
}
