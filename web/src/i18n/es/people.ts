import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const people: Texts["people"] = {
  title: common.people,
  members: common.members,
  person: "Miembro",
  role: "Rol",
  since: "Miembro desde",
  actions: common.actions,
  you: "usted",
  noMembers: "Todavía no hay miembros",
  noMembersHint: "Invite a un usuario. Los administradores globales ven el proyecto sin ser miembros.",
  roles: { viewer: "Lector", auditor: "Auditor", operator: common.operator, admin: "Administrador" },
  roleHints: {
    viewer: "Ve todo en el proyecto y guarda vistas. Solo puede confirmar sus propias alertas.",
    auditor: "Todo lo que puede hacer un lector, además del registro de auditoría y sus exportaciones.",
    operator:
      "Todo lo que puede hacer un lector. Además, reintenta y cancela tareas, ejecuta comandos, cambia programaciones y reglas de automatización, confirma las alertas del proyecto y ve las aprobaciones.",
    admin:
      "Todo lo que pueden hacer un operador y un auditor, además de personas, agentes, notificaciones y ajustes. Decide las aprobaciones y elimina tareas."
  },
  rolesTitle: "Qué puede hacer cada rol",
  changeRole: "Cambiar rol",
  changeRoleOf: (name: string) => `Cambiar el rol de ${name}`,
  roleAppliesAtOnce: "El nuevo rol se aplica a partir de la siguiente solicitud.",
  remove: "Quitar",
  removeTitle: (name: string) => `Quitar a ${name} del proyecto`,
  removeHint: "El miembro pierde de inmediato el acceso a este proyecto. Su cuenta y sus demás proyectos se conservan.",
  removeSelfHint:
    "Es usted. Pierde de inmediato el acceso a este proyecto, y solo otro administrador puede volver a añadirle.",
  invite: common.invite,
  inviteTitle: "Invitar a un usuario",
  email: common.email,
  emailHint:
    "Si esta dirección ya tiene cuenta, su usuario inicia sesión para aceptar. Si no, el enlace crea la cuenta.",
  validFor: "El enlace caduca en",
  days: (count: Count) => plural(count, "# día", "# días"),
  invitations: common.invitations,
  noInvitations: "No hay invitaciones",
  noInvitationsHint:
    "Una invitación permanece en esta lista hasta que se acepta, se revoca o caduca, y un tiempo después.",
  status: common.status,
  statuses: { pending: "Pendiente", accepted: "Aceptada", revoked: common.revoked, expired: common.expired },
  expires: common.expires,
  revoke: "Revocar",
  revokeOf: (email: string) => `Revocar la invitación de ${email}`,
  invitedTitle: (email: string) => `${email} tiene una invitación`,
  mailSent: "Un correo con este enlace está en cola de envío. También puede enviar el enlace usted mismo.",
  mailNotSent: "Este servidor no envía correo. Envíe el enlace usted mismo.",
  link: "Enlace de la invitación",
  linkHint:
    "El enlace solo se muestra una vez y funciona una vez. Una invitación posterior de la misma dirección lo anula."
}
