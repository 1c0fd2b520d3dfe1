import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const tasks: Texts["tasks"] = {
  title: common.tasks,
  query: "Filtrar tareas",
  queryHint: "state:failure,retry name:mail.* -queue:slow runtime:>5s since:1h \"timeout\"",
  queryHelp:
    "Términos: state, name, queue, engine, worker, priority, error, runtime, retries, fingerprint, since, until. El signo menos, NOT, OR y los paréntesis los combinan. Las demás palabras se buscan en nombres, identificadores y errores. La flecha abajo muestra sugerencias.",
  queryErrors: {
    term: (term: string) => `El término «${term}» no existe.`,
    value: (term: string, value: string) => `«${value}» no es un valor válido de ${term}.`,
    quote: "Falta una comilla."
  },
  columns: {
    state: "Estado",
    name: common.name,
    queue: common.queue,
    worker: common.worker,
    received: common.received,
    runtime: common.runTime,
    retries: "Reintentos",
    id: common.id,
    engine: common.engine,
    priority: common.priority,
    started: common.started,
    finished: common.finished
  },
  ofLastAttempt: "Del último intento",
  allStates: "Todos los estados",
  newTasks: common.newRows,
  showNew: "Mostrar las nuevas",
  noTasks: "Aún no hay tareas",
  noTasksHint: "Conecte un agente; la primera tarea aparecerá aquí en menos de un segundo.",
  noMatch: "Ninguna tarea coincide",
  noMatchHint: "Quite un término o amplíe la búsqueda hacia atrás.",
  noMatchYet: "Todavía no hay coincidencias",
  searchedBack: (time: string) => `Búsqueda realizada hasta: ${time}.`,
  searchingOn: "Buscando en tareas anteriores",
  searchOn: "Buscar en tareas anteriores",
  clear: "Borrar el filtro",
  loadingMore: "Cargando tareas anteriores",
  end: "Fin de la lista",
  density: "Altura de fila",
  selected: (count: Count) => plural(count, "# seleccionada", "# seleccionadas"),
  select: (name: string) => `Seleccionar ${name}`,
  selectColumn: "Selección",
  actionColumn: common.actions,
  clearSelection: "Anular la selección",
  tooManySelected: (most: string) =>
    `Se pueden seleccionar a mano ${most} tareas como máximo. Seleccione en su lugar todas las que coinciden.`,
  retry: common.retry,
  cancel: common.cancelTask,
  cancelSelected: "Cancelar las tareas",
  completions: "Sugerencias",
  facets: "Recuentos junto a la lista",
  filterByCount: "Filtrar por valor",
  selectMode: "Seleccionar",
  facetsPartial: "De las 10 000 tareas más recientes",
  priorities: { critical: common.critical, high: common.high, normal: common.normal, low: common.low },
  listSettings: "Columnas y filas",
  shownColumns: "Columnas",
  roomy: "Filas más altas",
  export: "Exportar las tareas que coinciden",
  exportAs: (format: string) => `Como ${format}`,
  selectLoaded: "Seleccionar todas las tareas cargadas",
  allSelected: (count: Count) =>
    plural(count, "# tarea que coincide está seleccionada", "Las # tareas que coinciden están seleccionadas"),
  moreSelected: (count: string) => `Todas las tareas que coinciden están seleccionadas, al menos ${count}`,
  selectMatching: (count: Count) =>
    plural(count, "Seleccionar # tarea que coincide", "Seleccionar las # tareas que coinciden"),
  selectMore: "Seleccionar todas las tareas que coinciden",
  retryMatching: "¿Reintentar todas las tareas que coinciden?",
  retryMatchingHint: "Si el filtro no indica un estado, solo se reintentan las tareas fallidas.",
  noneToCancel: "Ninguna tarea que coincide se puede cancelar",
  delete: common.delete,
  deleteQuestion: (count: Count) => plural(count, "¿Eliminar # tarea?", "¿Eliminar # tareas?"),
  deleteMoreQuestion: (count: string) => `¿Eliminar todas las tareas que coinciden, al menos ${count}?`,
  deleteHint: "Las tareas desaparecen de svc con sus eventos, argumentos y resultados. No se avisa a su motor.",
  views: {
    title: "Vistas guardadas",
    none: "No hay vistas guardadas. Filtre la lista y guárdela aquí.",
    save: "Guardar este filtro",
    name: common.name,
    share: "Compartir con el proyecto",
    shareHint: "Todos los miembros ven una vista compartida.",
    shared: "Compartida",
    remove: (name: string) => `Eliminar la vista ${name}`,
    removeQuestion: (name: string) => `¿Eliminar la vista ${name}?`
  },
  count: (count: Count) => plural(count, "# tarea", "# tareas")
}
