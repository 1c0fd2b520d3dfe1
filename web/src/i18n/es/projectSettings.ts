import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const projectSettings: Texts["projectSettings"] = {
  title: common.settings,
  onlyAdmins: "Solo los administradores del proyecto pueden cambiar sus ajustes.",
  create: "Crear un proyecto",
  general: "General",
  name: common.name,
  slug: "Slug",
  slugHint:
    "El nombre en las direcciones y rutas de la API. Tras un cambio, los enlaces antiguos y las rutas de los scripts dejan de funcionar.",
  newSlugHint: "El nombre en las direcciones y rutas de la API: minúsculas, cifras y guiones.",
  description: "Descripción",
  environment: "Entorno",
  environmentHint: "Una etiqueta, como production. No cambia nada más.",
  zone: common.timeZone,
  zoneHint:
    "El panel muestra las horas en esta zona a los usuarios que eligen la del proyecto. Las programaciones tienen su propia zona.",
  searchable: "Valores indexados",
  searchableHint:
    "Argumentos y resultados que se buscan con un índice, 16 lugares como máximo. Marque un lugar en los valores de una tarea. Cada uno cuesta al servidor algo de tiempo por cada tarea de ese nombre.",
  noSearchable: "Aún no hay lugares indexados.",
  searchableStatuses: { waiting: "Solo tareas nuevas", filling: "Llenándose", ready: "Completo" },
  searchableSince: (time) => `Tareas desde ${time}`,
  stopSearchable: "Quitar índice",
  taskName: common.taskName,
  place: "Lugar",
  status: common.status,
  actions: common.actions,
  access: "Acceso y datos",
  payloadRole: "Quién ve los argumentos y resultados",
  payloadRoleHint:
    "Para los demás se ocultan en tareas, programaciones y exportaciones. Las excepciones y trazas siguen visibles.",
  payloadRoles: {
    viewer: "Todos los miembros",
    auditor: "Auditores y administradores",
    operator: "Operadores y administradores",
    admin: "Solo administradores"
  },
  addresses: "Direcciones IP permitidas",
  addressesHint:
    "Redes como 192.0.2.0/24, una por línea. Incluya su propia dirección. Se rechaza a los usuarios y claves de API desde otras direcciones; no afecta a los agentes. Vacío: todas las direcciones.",
  approvals: common.approvals,
  approvalsHint: "Las acciones elegidas esperan hasta que una segunda persona las apruebe.",
  approvalsActiveHint:
    "Las acciones elegidas esperan hasta que una segunda persona las apruebe. También espera un cambio de esta política.",
  holdPurges: "Vaciados de colas",
  holdRules: "Reglas de automatización que reintentan o cancelan",
  holdRulesHint: "Crear y cambiar esas reglas. Eliminarlas no requiere aprobación.",
  holdBulk: "Acciones masivas sobre más de (tareas)",
  holdBulkHint: "Reintentos, eliminaciones y cancelaciones masivas. Vacío: ninguna requiere aprobación.",
  schedulers: common.schedulers,
  owner: "Planificador de las programaciones nuevas",
  ownerHint: "Dispara las programaciones que no indican un planificador propio, por ejemplo svc-scheduler.",
  allowedSchedulers: "Planificadores permitidos",
  allowedSchedulersHint:
    "Uno por línea. Las programaciones de otros planificadores no se disparan. Vacío: todos los planificadores.",
  delete: "Eliminar el proyecto",
  deleteTitle: common.deleteTitle,
  deleteHint:
    "El proyecto desaparece de inmediato. Sus agentes se desconectan, los comandos abiertos se cancelan y se eliminan sus tareas, miembros y claves de API. No se puede deshacer."
}
