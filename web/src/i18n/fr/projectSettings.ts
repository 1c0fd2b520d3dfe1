import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const projectSettings: Texts["projectSettings"] = {
  title: common.settings,
  onlyAdmins: "Seuls les administrateurs du projet peuvent modifier ses paramètres.",
  create: "Créer un projet",
  general: "Général",
  name: common.name,
  slug: "Slug",
  slugHint:
    "Le nom dans les adresses et les chemins de l’API. Après un changement, les anciens liens et les chemins des scripts ne fonctionnent plus.",
  newSlugHint: "Le nom dans les adresses et les chemins de l’API\u00a0: minuscules, chiffres et traits d’union.",
  description: "Description",
  environment: "Environnement",
  environmentHint: "Une étiquette, telle que production. Elle ne change rien d’autre.",
  zone: common.timeZone,
  zoneHint:
    "Le tableau de bord affiche les heures dans ce fuseau aux utilisateurs qui choisissent celui du projet. Les planifications ont leur propre fuseau.",
  searchable: "Valeurs interrogeables",
  searchableHint:
    "Arguments et résultats recherchés par un index, 16 emplacements au plus. Marquez un emplacement dans les valeurs d’une tâche. Chacun coûte un peu de temps au serveur pour chaque tâche de ce nom.",
  noSearchable: "Aucun emplacement n’est encore interrogeable.",
  searchableStatuses: { waiting: "Nouvelles tâches seulement", filling: "En cours de remplissage", ready: "Rempli" },
  searchableSince: (time) => `Tâches depuis le ${time}`,
  stopSearchable: "Supprimer l’index",
  taskName: common.taskName,
  place: "Emplacement",
  status: common.status,
  actions: common.actions,
  access: "Accès et données",
  payloadRole: "Qui voit les arguments et les résultats",
  payloadRoleHint:
    "Pour les autres, ils sont masqués dans les tâches, les planifications et les exports. Les exceptions et les traces restent visibles.",
  payloadRoles: {
    viewer: "Tous les membres",
    auditor: "Auditeurs et administrateurs",
    operator: "Opérateurs et administrateurs",
    admin: "Administrateurs uniquement"
  },
  addresses: "Adresses IP autorisées",
  addressesHint:
    "Des réseaux tels que 192.0.2.0/24, un par ligne. Votre propre adresse doit en faire partie. Les utilisateurs et les clés d’API depuis d’autres adresses sont refusés\u00a0; les agents ne sont pas concernés. Vide\u00a0: toutes les adresses.",
  approvals: common.approvals,
  approvalsHint: "Les actions choisies attendent l’approbation d’une seconde personne.",
  approvalsActiveHint:
    "Les actions choisies attendent l’approbation d’une seconde personne. Une modification de cette politique attend aussi.",
  holdPurges: "Vidages de files",
  holdRules: "Règles d’automatisation qui relancent ou annulent",
  holdRulesHint: "La création et la modification de ces règles. La suppression ne demande pas d’approbation.",
  holdBulk: "Actions en masse sur plus de (tâches)",
  holdBulkHint: "Relances, suppressions et annulations groupées. Vide\u00a0: aucune ne demande d’approbation.",
  schedulers: common.schedulers,
  owner: "Planificateur des nouvelles planifications",
  ownerHint: "Déclenche les planifications qui n’en nomment pas d’autre. Par exemple svc-scheduler.",
  allowedSchedulers: "Planificateurs autorisés",
  allowedSchedulersHint:
    "Un par ligne. Les planifications d’autres planificateurs ne se déclenchent pas. Vide\u00a0: tous les planificateurs.",
  delete: "Supprimer le projet",
  deleteTitle: common.deleteTitle,
  deleteHint:
    "Le projet disparaît immédiatement. Ses agents sont déconnectés, les commandes ouvertes annulées, et ses tâches, membres et clés d’API supprimés. C’est irréversible."
}
