import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const users: Texts["users"] = {
  hint:
    "Todas las cuentas de este servidor. Lo que una cuenta puede hacer en un proyecto se define en la página Personas del proyecto.",
  none: "No hay usuarios",
  create: "Crear un usuario",
  createHint: "Con una invitación a un proyecto, el usuario elige la contraseña; aquí usted elige la primera.",
  active: "Activa",
  inactive: "Inactiva",
  activeHint:
    "Una cuenta inactiva no puede iniciar sesión. Sus sesiones terminan de inmediato y sus claves de API dejan de funcionar.",
  adminHint: "Administrador de todos los proyectos, de los usuarios y del servidor.",
  password: common.password,
  passwordHint: "Al menos 12 caracteres.",
  lastLogin: "Último inicio de sesión",
  never: common.never,
  created: "Creada",
  edit: common.edit,
  setPassword: "Definir contraseña",
  passwordOf: (name: string) => `Definir la contraseña de ${name}`,
  setPasswordHint: "Se cierran todas las sesiones de la cuenta. El segundo factor y las claves de API se conservan.",
  delete: common.delete,
  deleteTitle: (name: string) => `Eliminar a ${name}`,
  deleteHint:
    "Se eliminan la cuenta, sus sesiones, claves de API, pertenencias e invitaciones abiertas. Las acciones del usuario permanecen en el registro de auditoría. No se puede deshacer."
}
