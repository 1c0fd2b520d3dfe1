import type { Texts } from "../en.ts"

export const people: Texts["people"] = {
  title: "Personas",
  members: "Miembros",
  person: "Persona",
  role: "Rol",
  since: "Miembro desde",
  actions: "Acciones",
  you: "usted",
  noMembers: "Todavía no hay miembros",
  noMembersHint: "Invite a una persona. Los administradores globales ven el proyecto sin ser miembros.",
  roles: { viewer: "Lector", auditor: "Auditor", operator: "Operador", admin: "Administrador" },
  roleHints: {
    viewer: "Ve las tareas, programaciones, colas y workers, guarda vistas y confirma alertas. No cambia nada más.",
    auditor: "Ve lo mismo que un lector y además el registro de auditoría, y lo exporta.",
    operator:
      "Ve lo mismo que un lector. Reintenta y cancela tareas, ejecuta comandos y cambia programaciones y reglas de automatización.",
    admin: "Hace todo lo anterior, gestiona personas, agentes, notificaciones y ajustes, y elimina tareas."
  },
  rolesTitle: "Qué puede hacer cada rol",
  changeRole: "Cambiar rol",
  changeRoleOf: (name: string) => `Cambiar el rol de ${name}`,
  roleAppliesAtOnce: "El nuevo rol se aplica a partir de la siguiente solicitud.",
  remove: "Quitar",
  removeTitle: (name: string) => `Quitar a ${name} del proyecto`,
  removeHint: "La persona pierde de inmediato el acceso a este proyecto. La cuenta y sus demás proyectos se conservan.",
  removeSelfHint:
    "Es usted. Pierde de inmediato el acceso a este proyecto, y solo otro administrador puede volver a añadirle.",
  invite: "Invitar",
  inviteTitle: "Invitar a una persona",
  email: "Correo electrónico",
  emailHint: "Si hay una cuenta con esta dirección, la persona inicia sesión para aceptar; si no, el enlace la crea.",
  validFor: "Validez del enlace",
  days: (count: string) => `${count} días`,
  invitations: "Invitaciones",
  noInvitations: "No hay invitaciones",
  noInvitationsHint:
    "Una invitación permanece en esta lista hasta que se acepta, se revoca o caduca, y un tiempo después.",
  status: "Estado",
  statuses: { pending: "Pendiente", accepted: "Aceptada", revoked: "Revocada", expired: "Caducada" },
  expires: "Caduca",
  revoke: "Revocar",
  revokeOf: (email: string) => `Revocar la invitación de ${email}`,
  invitedTitle: (email: string) => `${email} tiene una invitación`,
  mailSent: "Un correo con este enlace está en cola de envío. También puede enviar el enlace usted mismo.",
  mailNotSent: "Este servidor brain no envía correo. Envíe el enlace usted mismo.",
  link: "Enlace de la invitación",
  linkHint:
    "El enlace solo se muestra ahora. Funciona una vez. Una invitación posterior de la misma dirección lo anula."
}
