import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const approvals: Texts["approvals"] = {
  title: common.approvals,
  intro: "Acciones que necesitan la aprobación de una segunda persona. Los administradores las eligen en Ajustes.",
  filter: common.status,
  none: "Nada espera aprobación",
  noneHint:
    "Aquí aparecen los vaciados de colas, las acciones masivas grandes y las reglas que reintentan o cancelan, si los ajustes del proyecto exigen aprobación.",
  noneOfStatus: "Ninguna aprobación con este estado",
  tabs: {
    pending: common.waiting,
    approved: "Completadas",
    failed: common.failed,
    rejected: "Rechazadas",
    expired: "Caducadas",
    all: common.all
  },
  statusHints: {
    pending: "Todavía no se ha hecho nada. La acción se ejecuta en nombre del usuario que la aprueba.",
    approved: "Una segunda persona la aprobó y se completó.",
    failed: "Una segunda persona la aprobó, pero después el servidor la denegó. No se ha hecho nada.",
    rejected: "Una segunda persona la rechazó. No se ha hecho nada.",
    expired: "Ninguna segunda persona decidió a tiempo. No se ha hecho nada. La acción se puede solicitar de nuevo."
  },
  kinds: {
    purge_queue: "Vaciado de una cola",
    bulk_retry: "Reintento de muchas tareas",
    bulk_retry_request: common.bulkRetry,
    bulk_delete: "Eliminación de muchas tareas",
    bulk_cancel: "Cancelación de muchas tareas",
    rule_create: "Nueva regla de automatización",
    rule_update: "Cambio de una regla de automatización",
    rule_reset: "Disyuntor de una regla de automatización",
    membership_grant: "Nuevo administrador del proyecto",
    membership_role: "Rol de un miembro",
    invitation: "Invitación de un administrador",
    user_update: "Permisos de una cuenta",
    policy: "Cambio de lo que requiere aprobación"
  },
  requestedByName: (name) => `solicitada por ${name}`,
  kind: common.kind,
  requestedBy: "Solicitada por",
  requestedAt: "Solicitada",
  expiresAt: common.expires,
  decidedBy: "Decidida por",
  decidedAt: "Decidida",
  reason: common.reason,
  request: "Solicitud",
  result: common.result,
  change: "Qué cambia",
  before: "Antes",
  after: "Después",
  revision: (r) => `Revisión ${r}`,
  outdated:
    "El objetivo había cambiado desde la solicitud, o la acción habría afectado a más que entonces. No se ha hecho nada. Solicítela de nuevo si todavía hace falta.",
  noResult: "El servidor se detuvo antes de guardar el resultado. Compruebe si la acción se realizó; no se repite.",
  approve: "Aprobar",
  reject: "Rechazar",
  own: "Usted la solicitó, por lo que decide otro administrador.",
  needsAdmin: "Decide un administrador del proyecto.",
  approveQuestion: "¿Aprobar y ejecutar?",
  approveHint: (name) => `Se ejecuta de inmediato, en su nombre. ${name} la solicitó y recibe un mensaje.`,
  rejectQuestion: "¿Rechazar esta acción?",
  rejectHint: (name) => `No se hace nada. ${name} recibe un mensaje con el motivo.`,
  rejectReason: common.reason,
  approved: "Aprobada y completada",
  failed: "Aprobada y después denegada por el servidor",
  see: "Ver la aprobación",
  waiting: (count: Count) => plural(count, "# le espera", "# le esperan"),
  notWaiting: "Ya no espera: se decidió o ha caducado."
}
