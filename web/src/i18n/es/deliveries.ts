import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const deliveries: Texts["deliveries"] = {
  title: common.deliveries,
  delivery: "Entrega",
  status: common.status,
  statuses: { pending: common.pending, sent: "Enviada", failed: common.failed, suppressed: "No enviada" },
  statusHints: {
    pending: "Espera su primer o próximo intento.",
    sent: "El receptor la aceptó.",
    failed: "Fallaron diez intentos, o hubo un error permanente.",
    suppressed: "El canal se eliminó o no está activo, o su propietario ya no puede recibir el mensaje."
  },
  allStatuses: "Todos los estados",
  allChannels: "Todos los canales",
  project: common.project,
  allProjects: common.allProjects,
  ofOneAlert: "De una alerta",
  clearFilter: common.showAll,
  channel: common.channel,
  trigger: common.trigger,
  task: common.task,
  attempts: common.attempts,
  response: "Respuesta",
  when: "Último intento",
  resent: "reenviada",
  none: "Todavía no hay entregas",
  noneHint: "Pruebe un canal o espere la primera alerta: cada mensaje a un canal aparece aquí.",
  noneMatch: "Ninguna entrega coincide",
  attempt: (number: string) => `Intento ${number}`,
  took: (duration: string) => `duró ${duration}`,
  code: common.statusCode,
  noResponse: "sin estado HTTP",
  responseTo: (number: string) => `Respuesta al intento ${number}`,
  toChannel: (name: string, type: string) => `a ${name} (${type})`,
  nextAttempt: "Próximo intento",
  sentBy: (person: string) => `enviada por ${person}`,
  noAttempt: "Todavía no ha terminado ningún intento.",
  resend: "Enviar de nuevo",
  clear: "Eliminar el registro",
  clearTitle: "Eliminar el registro de entregas",
  clearHint:
    "Elimina las entregas terminadas a todos los canales del proyecto, con sus intentos. Después no se pueden leer ni enviar de nuevo. Las pendientes y el registro de auditoría se conservan.",
  which: "Qué entregas",
  olderThan: (duration: string) => `Anteriores a ${duration}`,
  allEnded: "Todas las terminadas",
  cleared: (count: Count) => plural(count, "# entrega eliminada", "# entregas eliminadas"),
  clearedHint: "Las entregas pendientes y el registro de auditoría se conservan."
}
