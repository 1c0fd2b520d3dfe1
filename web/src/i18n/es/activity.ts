import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { plural } from "./plural.ts"

export const activity: Texts["activity"] = {
  title: "Actividad",
  ofAll: "Actividad de todos los proyectos",
  none: "Todavía no ha ocurrido nada",
  noneHint: "Aquí aparece cada cambio del proyecto, sea de un usuario o del propio svc.",
  noMatch: "Nada coincide",
  noMatchHint: "Elija otra acción u otro usuario.",
  actions: "Acciones",
  allActions: "Todas las acciones",
  otherActions: (prefix) => `Acciones que empiezan por ${prefix}`,
  person: "Usuario",
  everyone: "Todos los usuarios",
  onlyPerson: (name) => `Solo las acciones de ${name}`,
  newRows: (count: Count) => plural(count, "# nueva", "# nuevas"),
  action: "Acción",
  target: "Objetivo",
  project: "Proyecto",
  details: "Detalles",
  time: "Hora",
  denied: "Denegada",
  failed: "Con error",
  areas: {
    "task.": "Tareas",
    "command.": "Comandos",
    "bulk_job.": "Trabajos masivos",
    "bulk_retry.": "Reintentos masivos",
    "dlq.": "Dead letters",
    "schedule": "Programaciones",
    "automation.": "Automatización",
    "approval.": "Aprobaciones",
    "alert.": "Alertas",
    "channel.": "Canales",
    "subscription.": "Suscripciones",
    "maintenance_window.": "Ventanas de mantenimiento",
    "agent.": "Agentes",
    "project.": "Proyectos",
    "membership.": "Miembros",
    "invitation.": "Invitaciones",
    "user.": "Usuarios",
    "auth.": "Inicio de sesión",
    "api_key.": "Claves de API",
    "access.": "Accesos denegados",
    "audit.": "Registro de auditoría"
  }
}
