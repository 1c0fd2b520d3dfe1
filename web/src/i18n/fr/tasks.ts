import type { Texts } from "../en.ts"

export const tasks: Texts["tasks"] = {
  title: "Tâches",
  query: "Filtrer les tâches",
  queryHint: "state:failure name:mail queue:slow engine:celery worker:box-1 since:1h \"timeout\"",
  queryHelp:
    "Termes\u00a0: state, name, queue, engine, worker, priority, fingerprint, since, until. Les autres mots sont recherchés dans les noms, les ID et les erreurs.",
  queryErrors: {
    term: (term: string) => `Le terme «\u00a0${term}\u00a0» n’existe pas.`,
    value: (term: string, value: string) => `«\u00a0${value}\u00a0» n’est pas une valeur valide de ${term}.`,
    quote: "Il manque un guillemet."
  },
  columns: {
    state: "État",
    name: "Nom",
    queue: "File",
    worker: "Worker",
    received: "Reçue",
    runtime: "Exécution",
    retries: "Relances",
    id: "ID"
  },
  allStates: "Tous les états",
  newTasks: (count: string) => `Nouvelles\u00a0: ${count}`,
  showNew: "Afficher les nouvelles",
  noTasks: "Pas encore de tâche",
  noTasksHint: "Connectez un agent\u00a0; la première tâche apparaît ici en moins d’une seconde.",
  noMatch: "Aucune tâche ne correspond",
  noMatchHint: "Retirez un terme ou remontez plus loin dans le temps.",
  clear: "Effacer le filtre",
  loadingMore: "Chargement des tâches plus anciennes",
  end: "Aucune autre tâche",
  density: "Hauteur des lignes",
  densities: { compact: "Compacte", comfortable: "Aérée" },
  selected: (count: string) => `Sélection\u00a0: ${count}`,
  select: (name: string) => `Sélectionner ${name}`,
  selectColumn: "Sélection",
  actionColumn: "Actions",
  clearSelection: "Effacer la sélection",
  retry: "Relancer",
  cancel: "Annuler la tâche"
}
