import type { Texts } from "./en.ts"
import { account } from "./es/account.ts"
import { activity } from "./es/activity.ts"
import { agents } from "./es/agents.ts"
import { alerts } from "./es/alerts.ts"
import { apiKeys } from "./es/apiKeys.ts"
import { approvals } from "./es/approvals.ts"
import { attention } from "./es/attention.ts"
import { audit } from "./es/audit.ts"
import { automation } from "./es/automation.ts"
import { bulkJobs } from "./es/bulkJobs.ts"
import { bulkRetries } from "./es/bulkRetries.ts"
import { channels } from "./es/channels.ts"
import { commands } from "./es/commands.ts"
import { common } from "./es/common.ts"
import { deadLetters } from "./es/deadLetters.ts"
import { deliveries } from "./es/deliveries.ts"
import { differences } from "./es/differences.ts"
import { exportJobs } from "./es/exportJobs.ts"
import { failures } from "./es/failures.ts"
import { home } from "./es/home.ts"
import { inbox } from "./es/inbox.ts"
import { keys } from "./es/keys.ts"
import { maintenance } from "./es/maintenance.ts"
import { names } from "./es/names.ts"
import { notifications } from "./es/notifications.ts"
import { oldRows } from "./es/oldRows.ts"
import { overview } from "./es/overview.ts"
import { ownNotifications } from "./es/ownNotifications.ts"
import { palette } from "./es/palette.ts"
import { people } from "./es/people.ts"
import { persons } from "./es/persons.ts"
import { projectSettings } from "./es/projectSettings.ts"
import { queues } from "./es/queues.ts"
import { schedules } from "./es/schedules.ts"
import { secondFactor } from "./es/secondFactor.ts"
import { subscriptions } from "./es/subscriptions.ts"
import { system } from "./es/system.ts"
import { task } from "./es/task.ts"
import { tasks } from "./es/tasks.ts"
import { users } from "./es/users.ts"
import { workers } from "./es/workers.ts"

export const es: Texts = {
  common,
  productName: "svc",
  loading: common.loading,
  skipToContent: "Ir al contenido",
  skipToList: "Ir a la lista",
  close: "Cerrar",
  cancel: common.cancel,
  keepRunning: "Dejar que continúe",
  copy: common.copy,
  copied: "Copiado",
  none: "ninguno",
  older: "Cargar más",
  forms: {
    typeToConfirm: (phrase: string) => `Escriba ${phrase} para confirmar`,
    save: "Guardar",
    create: common.create,
    edit: common.edit,
    delete: common.delete,
    optional: "opcional",
    awaitsApproval: "Pendiente de aprobación",
    done: "Listo",
    saved: "Guardado.",
    durationProblem: "Introduzca una duración, por ejemplo 15 min o 4 h.",
    durationRange: (min: string, max: string) => `Introduzca una duración de ${min} a ${max}.`,
    requested: "Pendiente de aprobación. Todavía no se ha cambiado nada."
  },
  stepUp: {
    title: "Confirme que es usted",
    hint: "Introduzca de nuevo su contraseña o un código. Desde la última vez han pasado más de unos minutos."
  },
  error: {
    title: "No se ha podido cargar esta página",
    actionTitle: "La acción ha fallado",
    unreachable: "No se puede conectar con el servidor. Los datos pueden estar desactualizados.",
    noProblem: (status: string) =>
      `Ha respondido otro programa, con estado ${status}. Revise el proxy inverso situado delante del servidor.`,
    requestId: "ID de la solicitud",
    retry: "Volver a intentar",
    notFound: "Página no encontrada",
    notFoundHint: "Puede que la dirección sea antigua o contenga un error.",
    noProject: "Proyecto no encontrado",
    noProjectHint: "Puede que se haya renombrado o eliminado, o que usted no sea miembro.",
    toHome: "Ver todos los proyectos"
  },
  connection: {
    lost: "Sin conexión, reintentando",
    upgraded: "El servidor se ha actualizado",
    reloads: "La página se recargará enseguida.",
    saveFirst: "Guarde los cambios y después vuelva a cargar la página.",
    reload: "Recargar la página"
  },
  unsaved: {
    title: "¿Descartar los cambios sin guardar?",
    keep: "Seguir editando",
    discard: "Descartar cambios"
  },
  wall: {
    open: "Vista mural",
    leave: "Salir de la vista mural",
    signedOut: "Sesión cerrada. Inicie sesión para mostrar la vista mural.",
    lost: "Sin conexión con el servidor",
    lostSince: (time: string) => `Sin conexión con el servidor. Datos de: ${time}.`
  },
  live: {
    live: "En directo",
    connecting: "Reconectando",
    paused: common.paused,
    pause: "Pausar la actualización",
    resume: "Reanudar la actualización",
    trueAt: common.asOf
  },
  session: {
    title: "Iniciar sesión",
    email: common.email,
    password: common.password,
    remember: "Mantener la sesión iniciada en este dispositivo",
    submit: "Iniciar sesión",
    forgot: "¿Ha olvidado la contraseña?",
    provider: "Iniciar sesión con su proveedor",
    codeTitle: common.secondFactor,
    codeHint: "El código de su aplicación de autenticación o uno de sus códigos de recuperación.",
    code: "Código",
    trust: "No volver a preguntar en este dispositivo",
    verify: common.continue,
    signOut: "Cerrar sesión",
    ended: "Su sesión ha terminado. Inicie sesión para continuar donde estaba."
  },
  settings: {
    theme: "Tema",
    themes: { system: common.system, light: "Claro", dark: "Oscuro" },
    language: "Idioma",
    zone: "Horas",
    zones: { browser: "En la zona de este navegador", utc: "En UTC", project: "En la zona del proyecto" },
    account: "Cuenta y ajustes"
  },
  nav: {
    label: "Páginas del proyecto",
    allProjects: common.allProjects,
    overview: common.overview,
    tasks: common.tasks,
    commands: common.commands,
    queues: common.queues,
    workers: common.workers,
    agents: common.agents,
    switchProject: "Cambiar de proyecto",
    failures: common.failures,
    schedules: common.schedules,
    notifications: common.notifications,
    automation: common.automation,
    approvals: common.approvals,
    activity: common.activity,
    audit: common.auditLog,
    people: common.people,
    settings: common.settings,
    inbox: common.inbox,
    system: common.system,
    users: common.users,
    account: common.account,
    more: "Más páginas"
  },
  states: {
    pending: "Pendiente",
    received: "Recibida",
    started: "Iniciada",
    success: common.succeededTask,
    failure: common.failedTask,
    retry: "En reintento",
    revoked: common.revoked,
    rejected: common.rejected,
    unknown: common.unknown
  },
  home,
  attention,
  names,
  overview,
  account,
  apiKeys,
  secondFactor,
  projectSettings,
  users,
  system,
  people,
  tasks,
  task,
  failures,
  deadLetters,
  commands,
  bulkJobs,
  bulkRetries,
  exportJobs,
  queues,
  schedules,
  workers,
  agents,
  notifications,
  alerts,
  activity,
  audit,
  automation,
  approvals,
  persons,
  oldRows,
  keys,
  palette,
  channels,
  subscriptions,
  deliveries,
  differences,
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "Avisos",
    retry: (what: string) => `Reintentar: ${what}`,
    cancel: (what: string) => `Cancelar: ${what}`,
    refused: "Rechazado",
    noAgent: "El proyecto no tiene ningún agente de este motor, por lo que no se puede ejecutar el comando."
  }
}
