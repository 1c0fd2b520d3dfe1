import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const overview: Texts["overview"] = {
  title: common.overview,
  window: "Periodo",
  overTime: "Tareas a lo largo del tiempo",
  windows: {
    "1h": "1 hora",
    "6h": "6 horas",
    "24h": "24 horas",
    "72h": "3 días",
    "7d": "7 días",
    "30d": "30 días",
    "90d": "90 días"
  },
  throughput: "Tareas terminadas",
  durations: common.runTime,
  waits: common.queueTime,
  waitsShort: common.queueTime,
  perHour: (count: string) => `${count} por hora`,
  failureRate: common.failureRate,
  succeeded: common.succeededTasks,
  failed: common.failedTasks,
  inTable: "Mostrar como tabla",
  asChart: "Mostrar como gráfico",
  time: common.time,
  keysOfChart: "Las flechas izquierda y derecha muestran los valores de cada momento.",
  openKey: "Intro abre las tareas de ese momento.",
  noData: "Sin datos en este periodo",
  unfinished: "en curso",
  p50: "p50",
  p95: "p95",
  p99: "p99",
  compare: "Comparar con la semana pasada",
  comparedWithLastWeek: "respecto a la semana pasada",
  weekAgo: (series) => `${series}, semana pasada`,
  marks: {
    title: "Marcas",
    hide: "Ocultar en todos los gráficos",
    show: "Mostrar en todos los gráficos",
    kinds: {
      deploy: "Despliegue",
      command: common.command,
      rule: common.rule,
      missed_run: "Ejecución perdida",
      maintenance: "Mantenimiento"
    }
  },
  topFailing: "Tareas con más fallos",
  topGroups: "Grupos de fallos con tareas abiertas",
  noGroups: "Ningún grupo ha fallado en este periodo",
  queues: common.queues,
  depth: common.depth,
  noFailing: "Ninguna tarea ha fallado en este periodo",
  noQueues: "Ningún agente ha notificado aún una cola",
  name: common.name,
  workersOnline: "Workers en línea",
  agentsOnline: "Agentes en línea",
  ofTotal: common.ofTotal,
  dismiss: "Ocultar",
  firstSteps: {
    title: "Primeros pasos",
    done: "Hecho",
    steps: {
      connect: {
        name: "Conectar un agente",
        hint: "Notifica las tareas de su motor. Elija el motor, copie las líneas y vea llegar el primer evento.",
        action: "Conectar"
      },
      task: {
        name: "Ver una tarea",
        hint: "La lista muestra cada tarea en cuanto un agente la notifica.",
        action: "Abrir la lista"
      },
      subscribe: {
        name: "Suscribirse a alertas",
        hint: "Recibe un mensaje cuando las tareas empiezan a fallar y otro cuando se recuperan.",
        action: "Suscribirse"
      },
      invite: {
        name: "Invitar a un compañero",
        hint: "Sus compañeros ven las mismas tareas y aprueban lo que requiere una segunda persona.",
        action: common.invite
      },
      factor: {
        name: "Activar el segundo factor",
        hint: "Su cuenta requiere entonces, además de la contraseña, un código de su teléfono.",
        action: "Configurar"
      }
    }
  },
  demo: {
    label: "Esta demo",
    intro: "Esta tienda es una demo. En un minuto:",
    failures: "reintentar muchas tareas a la vez",
    alert: "ver qué falla ahora",
    approval: "decidir lo que pide Mara",
    rule: "probar una regla con tareas pasadas"
  },
  groupBy: "Agrupar por",
  groupings: { queue: "Por cola", name: "Por nombre de tarea", worker: common.byWorker },
  groupTitles: {
    queue: "Tareas terminadas por cola",
    name: "Tareas terminadas por nombre",
    worker: "Tareas terminadas por worker"
  },
  otherGroups: "Todas las demás",
  beyondWorkers: (most: string) =>
    `«Todas las demás» contiene los workers posteriores a los primeros ${most} nombres de los últimos 8 días.`,
  noQueue: "Sin cola"
}
