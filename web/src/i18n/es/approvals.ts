import type { Texts } from "../en.ts"

export const approvals: Texts["approvals"] = {
  title: "Aprobaciones",
  intro:
    "Acciones que esperan a que una segunda persona las apruebe. La configuración del proyecto determina qué acciones esperan.",
  filter: "Estado",
  none: "Nada espera a una segunda persona",
  noneHint:
    "Aquí aparecen los vaciados de colas, las acciones masivas grandes y las reglas que reintentan o cancelan, si la configuración del proyecto lo exige.",
  noneOfStatus: "Ninguna aprobación con este estado",
  tabs: {
    pending: "En espera",
    approved: "Realizadas",
    failed: "Fallidas",
    rejected: "Rechazadas",
    expired: "Caducadas",
    all: "Todas"
  },
  statusHints: {
    pending: "Todavía no se ha hecho nada. La acción se realiza en nombre de la persona que la aprueba.",
    approved: "Una segunda persona la aprobó y se realizó.",
    failed: "Una segunda persona la aprobó y después el servidor brain la denegó. No se ha hecho nada.",
    rejected: "Una segunda persona la rechazó. No se ha hecho nada.",
    expired: "Ninguna segunda persona decidió a tiempo. No se ha hecho nada. La persona puede solicitarla de nuevo."
  },
  kinds: {
    purge_queue: "Vaciado de una cola",
    bulk_retry: "Reintento de muchas tareas",
    bulk_retry_request: "Reintento masivo duradero",
    bulk_delete: "Eliminación de muchas tareas",
    bulk_cancel: "Cancelación de muchas tareas",
    rule_create: "Nueva regla de automatización",
    rule_update: "Cambio de una regla de automatización",
    rule_reset: "Disyuntor de una regla de automatización",
    membership_grant: "Administrador del proyecto",
    membership_role: "Rol de un miembro",
    invitation: "Invitación de un administrador",
    user_update: "Permisos de una cuenta",
    policy: "Cambio de lo que requiere aprobación"
  },
  requestedByName: (name) => `solicitada por ${name}`,
  kind: "Tipo",
  requestedBy: "Solicitada por",
  requestedAt: "Solicitada",
  expiresAt: "Caduca",
  decidedBy: "Decidida por",
  decidedAt: "Decidida",
  reason: "Motivo",
  request: "Solicitud",
  result: "Resultado",
  change: "Qué cambia",
  before: "Antes",
  after: "Después",
  revision: (r) => `Revisión ${r}`,
  outdated:
    "Lo que se iba a cambiar había cambiado desde la solicitud, o habría afectado a más que entonces. No se ha hecho nada. Si todavía hace falta, hay que solicitarlo de nuevo.",
  noResult: "El brain se detuvo antes de guardar el resultado. Compruebe si la acción se realizó; no se repite.",
  approve: "Aprobar",
  reject: "Rechazar",
  own: "Usted la solicitó, por lo que decide otro administrador.",
  needsAdmin: "Decide un administrador del proyecto.",
  approveQuestion: "¿Aprobar y realizar esta acción?",
  approveHint: (name) => `Se realiza de inmediato y en su nombre. ${name} la solicitó y recibe un mensaje.`,
  rejectQuestion: "¿Rechazar esta acción?",
  rejectHint: (name) => `No se hace nada. ${name} recibe un mensaje con el motivo.`,
  rejectReason: "Motivo",
  approved: "Aprobada y realizada",
  failed: "Aprobada y después denegada",
  see: "Ver la aprobación",
  waiting: (count) => `${count} le esperan`,
  notWaiting: "Ya no espera: se decidió o ha caducado."
}
