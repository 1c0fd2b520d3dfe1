import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const system: Texts["system"] = {
  tabs: { health: common.health, versions: "Versions", settings: common.settings },
  part: "Partie",
  status: common.status,
  detail: common.details,
  took: common.took,
  statuses: { ok: "Sain", degraded: "Dégradé", failed: common.failed },
  statusHints: {
    ok: "toutes les vérifications ont réussi.",
    degraded: "le serveur fonctionne, mais une partie demande de l’attention.",
    failed: "une partie dont le serveur a besoin ne fonctionne pas."
  },
  checks: {
    database: "Base de données",
    migrations: "Schéma de la base de données",
    leaders: "Baux d’arrière-plan",
    mail: "E-mail",
    secret_key: "Clé de chiffrement",
    audit_chain: "Journal d’audit signé",
    audit_verification: "Vérification du journal d’audit"
  },
  checkHints: {
    database: "Répond aux lectures et aux écritures.",
    migrations: "A la révision dont ce programme a besoin.",
    leaders: "Quel processus fait chaque travail réservé à un seul.",
    mail: "Aucun e-mail n’attend après un envoi échoué.",
    secret_key: "La clé qui déchiffre les secrets enregistrés est connue.",
    audit_chain: "Les entrées les plus récentes correspondent à ce qui a été signé.",
    audit_verification: "La dernière exécution a lu chaque entrée et trouvé ce qui a été signé."
  },
  loop: (name: string) => `Boucle en arrière-plan\u00a0: ${name}`,
  loops: (running: string, all: string) =>
    `${running} boucles en arrière-plan sur ${all} tournent sans erreur dans ce processus.`,
  revision: (found: string, expected: string) => `révision ${found}, attendue ${expected}`,
  forwarder: "Webhook d’audit",
  forwarderOff:
    "Non configuré. Avec SVC_AUDIT_WEBHOOK_URL, le serveur envoie chaque entrée du journal d’audit à un autre système.",
  forwarderHint: (worker: string) =>
    `Compté depuis le démarrage du processus ${worker}\u00a0; chaque réplique a ses propres chiffres.`,
  delivered: "Entrées livrées",
  waiting: "Entrées en attente",
  dropped: "Entrées abandonnées",
  lastDelivered: "Dernière livraison",
  failuresInRow: "Échecs consécutifs",
  installation: "Installation",
  program: "svc",
  runtime: "Environnement d’exécution",
  os: "Système d’exploitation",
  database: "Base de données",
  dialects: { sqlite: "SQLite", pg: "PostgreSQL" },
  schema: "Révision du schéma",
  size: common.size,
  megabytes: (count: string) => `${count} Mo`,
  check: "Rechercher des versions plus récentes",
  checked: "La liste des versions a été lue",
  neverChecked: "La liste des versions n’a pas été lue. Le serveur ne la lit qu’à votre demande.",
  package: "Paquet",
  installed: "Installée",
  latest: "La plus récente",
  unknown: common.unknown,
  outdated: "Une version plus récente existe",
  current: "À jour",
  secondFactor: {
    title: common.secondFactor,
    all: "Tout le monde doit avoir un second facteur",
    admins: "Les administrateurs globaux doivent avoir un second facteur",
    none: "Le second facteur est facultatif",
    without: (count: Count) => `${plural(count, "# utilisateur actif n’en a", "# utilisateurs actifs n’en ont")} pas.`,
    deadline: (days: Count) =>
      `Ceux qui n’en ont pas le configurent à leur prochaine connexion, dans un délai de ${
        plural(days, "# jour", "# jours")
      }.`,
    bySetting: "Le paramètre SVC_MFA_ENFORCE_FOR_ALL l’exige. Modifiez-le à cet endroit.",
    require: "Exiger de tous",
    relax: "Rendre facultatif",
    requireTitle: "Exiger un second facteur de tous\u00a0?",
    relaxTitle: "Rendre le second facteur facultatif\u00a0?",
    ownFirst: "Il vous faut d’abord un second facteur.",
    setUp: "Le configurer"
  },
  settingsHint: (home: string) =>
    `Les valeurs en vigueur dans le processus qui répond, secrets masqués. Modifiez-les dans l’environnement ou dans svc.conf de ${home}, puis redémarrez.`,
  filter: "Filtrer les paramètres",
  onlySet: "Seulement ceux qui sont définis",
  noSetting: "Aucun paramètre ne correspond",
  setting: "Paramètre",
  value: "Valeur",
  source: common.source,
  sources: {
    environment: "Environnement",
    file: common.file,
    tunables: "svc.conf",
    default: "Par défaut",
    option: "Ligne de commande"
  }
}
