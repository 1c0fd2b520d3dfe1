import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const users: Texts["users"] = {
  hint:
    "Tous les comptes de ce serveur. Ce qu’un compte peut faire dans un projet se règle sur la page Personnes du projet.",
  none: "Aucun utilisateur",
  create: "Créer un utilisateur",
  createHint:
    "Avec une invitation à un projet, l’utilisateur choisit son mot de passe\u00a0; ici, vous choisissez le premier.",
  active: "Actif",
  inactive: "Inactif",
  activeHint:
    "Un compte inactif ne peut pas se connecter. Ses sessions prennent fin immédiatement et ses clés d’API cessent de fonctionner.",
  adminHint: "Administrateur de tous les projets, des utilisateurs et du serveur.",
  password: common.password,
  passwordHint: "Au moins 12 caractères.",
  lastLogin: "Dernière connexion",
  never: common.never,
  created: "Créé",
  edit: common.edit,
  setPassword: "Définir le mot de passe",
  passwordOf: (name: string) => `Définir le mot de passe de ${name}`,
  setPasswordHint: "Toutes les sessions du compte prennent fin. Le second facteur et les clés d’API sont conservés.",
  delete: common.delete,
  deleteTitle: (name: string) => `Supprimer ${name}`,
  deleteHint:
    "Le compte, ses sessions, clés d’API, adhésions et invitations ouvertes sont supprimés. Les actions de l’utilisateur restent dans le journal d’audit. C’est irréversible."
}
