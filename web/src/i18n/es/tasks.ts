import type { Texts } from "../en.ts"

export const tasks: Texts["tasks"] = {
  title: "Tareas",
  query: "Filtrar tareas",
  queryHint: "state:failure name:mail queue:slow engine:celery worker:box-1 since:1h \"timeout\"",
  queryHelp:
    "Términos: state, name, queue, engine, worker, priority, fingerprint, since, until. Las demás palabras se buscan en nombres, ID y errores.",
  queryErrors: {
    term: (term: string) => `El término «${term}» no existe.`,
    value: (term: string, value: string) => `«${value}» no es un valor válido de ${term}.`,
    quote: "Falta una comilla."
  },
  columns: {
    state: "Estado",
    name: "Nombre",
    queue: "Cola",
    worker: "Worker",
    received: "Recibida",
    runtime: "Ejecución",
    retries: "Reintentos",
    id: "ID"
  },
  allStates: "Todos los estados",
  newTasks: (count: string) => `Nuevas: ${count}`,
  showNew: "Mostrar las nuevas",
  noTasks: "Aún no hay tareas",
  noTasksHint: "Conecte un agente; la primera tarea aparecerá aquí en menos de un segundo.",
  noMatch: "Ninguna tarea coincide",
  noMatchHint: "Quite un término o amplíe la búsqueda hacia atrás.",
  clear: "Borrar el filtro",
  loadingMore: "Cargando tareas anteriores",
  end: "No hay más tareas",
  density: "Altura de fila",
  densities: { compact: "Compacta", comfortable: "Amplia" },
  selected: (count: string) => `Seleccionadas: ${count}`,
  select: (name: string) => `Seleccionar ${name}`,
  selectColumn: "Selección",
  actionColumn: "Acciones",
  clearSelection: "Anular la selección",
  retry: "Reintentar",
  cancel: "Cancelar la tarea"
}
