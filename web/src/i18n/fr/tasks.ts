import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const tasks: Texts["tasks"] = {
  title: common.tasks,
  query: "Filtrer les tâches",
  queryHelp: (terms) =>
    `Termes\u00a0: ${terms}. Le signe moins, NOT, OR et les parenthèses les combinent. Les autres mots sont cherchés dans les noms, identifiants et erreurs. La flèche bas affiche des suggestions.`,
  queryErrors: {
    term: (term: string) => `Le terme «\u00a0${term}\u00a0» n’existe pas.`,
    value: (term: string, value: string) => `«\u00a0${value}\u00a0» n’est pas une valeur valide de ${term}.`,
    quote: "Il manque un guillemet."
  },
  showName: (name) => `Tendances de ${name}`,
  columns: {
    state: "État",
    name: common.name,
    queue: common.queue,
    worker: common.worker,
    received: common.received,
    runtime: common.runTime,
    retries: "Relances",
    id: common.id,
    engine: common.engine,
    priority: common.priority,
    started: common.started,
    finished: common.finished
  },
  ofLastAttempt: "De la dernière tentative",
  allStates: "Tous les états",
  newTasks: common.newRows,
  showNew: "Afficher les nouvelles",
  goTo: "Aller à la liste des tâches",
  noTasks: "Pas encore de tâche",
  noTasksHint: "Connectez un agent\u00a0; la première tâche apparaît ici en moins d’une seconde.",
  noMatch: "Aucune tâche ne correspond",
  noMatchHint: "Retirez un terme ou remontez plus loin dans le temps.",
  noMatchYet: "Aucun résultat pour l’instant",
  searchedBack: (time: string) => `Recherche effectuée jusqu’au ${time}.`,
  byIndex: (path) => `Trouvé par l’index de ${path}.`,
  searchingOn: "Recherche dans les tâches plus anciennes",
  searchOn: "Chercher dans les tâches plus anciennes",
  clear: "Effacer le filtre",
  loadingMore: "Chargement des tâches plus anciennes",
  end: "Fin de la liste",
  density: "Hauteur des lignes",
  selected: (count: Count) => plural(count, "# sélectionnée", "# sélectionnées"),
  select: (name: string) => `Sélectionner ${name}`,
  selectColumn: "Sélection",
  actionColumn: common.actions,
  clearSelection: "Effacer la sélection",
  tooManySelected: (most: string) =>
    `Au plus ${most} tâches peuvent être sélectionnées une à une. Sélectionnez plutôt toutes celles qui correspondent.`,
  retry: common.retry,
  cancel: common.cancelTask,
  cancelSelected: "Annuler les tâches",
  completions: "Suggestions",
  facets: "Décomptes à côté de la liste",
  filterByCount: "Filtrer par valeur",
  selectMode: "Sélectionner",
  facetsPartial: "Sur les 10\u202f000 tâches les plus récentes",
  priorities: { critical: common.critical, high: common.high, normal: common.normal, low: common.low },
  listSettings: "Colonnes et lignes",
  shownColumns: "Colonnes",
  roomy: "Lignes plus hautes",
  export: "Exporter les tâches correspondantes",
  exportAs: (format: string) => `En ${format}`,
  selectLoaded: "Sélectionner toutes les tâches chargées",
  allSelected: (count: Count) =>
    plural(count, "# tâche correspondante est sélectionnée", "Les # tâches correspondantes sont sélectionnées"),
  moreSelected: (count: string) => `Toutes les tâches correspondantes sont sélectionnées, au moins ${count}`,
  selectMatching: (count: Count) =>
    plural(count, "Sélectionner # tâche correspondante", "Sélectionner les # tâches correspondantes"),
  selectMore: "Sélectionner toutes les tâches correspondantes",
  retryMatching: "Relancer toutes les tâches correspondantes\u00a0?",
  retryMatchingHint: "Si le filtre ne nomme aucun état, seules les tâches en échec sont relancées.",
  noneToCancel: "Aucune tâche correspondante ne peut être annulée",
  delete: common.delete,
  deleteQuestion: (count: Count) => plural(count, "Supprimer # tâche\\u00a0?", "Supprimer # tâches\\u00a0?"),
  deleteMoreQuestion: (count: string) => `Supprimer toutes les tâches correspondantes, au moins ${count}\u00a0?`,
  deleteHint:
    "Les tâches disparaissent de svc avec leurs événements, arguments et résultats. Leur moteur n’en est pas averti.",
  views: {
    title: "Vues enregistrées",
    none: "Aucune vue enregistrée. Filtrez la liste, puis enregistrez-la ici.",
    save: "Enregistrer ce filtre",
    name: common.name,
    share: "Partager avec le projet",
    shareHint: "Tous les membres voient une vue partagée.",
    shared: "Partagée",
    remove: (name: string) => `Supprimer la vue ${name}`,
    removeQuestion: (name: string) => `Supprimer la vue ${name}\u00a0?`
  },
  count: (count: Count) => plural(count, "# tâche", "# tâches")
}
