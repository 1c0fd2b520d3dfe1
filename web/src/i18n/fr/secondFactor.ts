import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const secondFactor: Texts["secondFactor"] = {
  title: common.secondFactor,
  setUp: "Configurer le second facteur",
  intro:
    "Un code d’une application d’authentification, en plus du mot de passe. Ainsi, un mot de passe volé ne suffit plus. Il vous faut une application telle qu’Aegis, Google Authenticator ou 1Password.",
  required: (deadline: string) =>
    `Un second facteur est exigé. Configurez-le avant le ${deadline}\u00a0; d’ici là, tout fonctionne comme avant.`,
  overdue: (deadline: string) => `Un second facteur était exigé avant le ${deadline}. Configurez-le pour continuer.`,
  isEnrolled: "Un second facteur est configuré.",
  begin: "Commencer",
  scan: "Scannez le code avec l’application. Si elle ne peut pas scanner, saisissez la clé.",
  qrCode: "Code QR pour l’application d’authentification",
  manualKey: "Clé à saisir",
  codeHint: "Les six chiffres que l’application affiche en ce moment.",
  codes: "Codes de récupération",
  codesHint:
    "Si vous perdez l’application, chaque code permet une connexion. Conservez-les là où vous seul pouvez les lire. Ils ne sont affichés qu’une fois.",
  download: common.download,
  copyAll: "Tout copier",
  continue: common.continue,
  back: "Pas maintenant",
  since: "Configuré",
  codesLeft: "Codes de récupération restants",
  fewCodes: "créez-en de nouveaux",
  regenerate: "Nouveaux codes de récupération",
  regenerateHint: "Les codes que vous possédez cessent immédiatement de fonctionner.",
  disable: "Supprimer le second facteur",
  disableHint:
    "Le mot de passe suffira alors pour se connecter. Les codes de récupération et les navigateurs de confiance sont supprimés. Si la politique exige un second facteur, vous devrez en configurer un autre.",
  devices: "Navigateurs de confiance",
  noDevices:
    "Dans un navigateur de confiance, la connexion ne demande pas de code pendant un certain temps. Ne faites confiance qu’aux navigateurs que vous seul utilisez.",
  trustThis: "Faire confiance à ce navigateur",
  thisBrowser: "ce navigateur",
  rename: "Renommer",
  renameDevice: "Renommer le navigateur",
  deviceName: common.name,
  lastSeen: "dernière activité",
  expires: "expire"
}
