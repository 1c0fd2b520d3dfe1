import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const account: Texts["account"] = {
  title: common.account,
  tabs: { profile: "Perfil", security: "Seguridad", sessions: "Sesiones", keys: common.apiKeys },
  profile: "Perfil",
  displayName: "Nombre visible",
  displayNameHint: "Si está vacío, los demás ven el correo electrónico.",
  firstName: "Nombre",
  lastName: "Apellidos",
  zone: common.timeZone,
  zoneHint:
    "La usan los correos y resúmenes que recibe. Las horas de este panel siguen la opción del menú de la cuenta.",
  access: "Acceso",
  everywhere: common.allProjects,
  globalAdmin: "Administrador global",
  password: common.password,
  changePassword: "Cambiar contraseña",
  passwordHint:
    "Una contraseña nueva cierra todas las demás sesiones y anula los navegadores de confianza. Las claves de API siguen funcionando; revoque las que no conozca.",
  currentPassword: "Contraseña actual",
  newPassword: "Contraseña nueva",
  passwordAgain: "Repita la contraseña nueva",
  passwordRule: (length: string) =>
    `Al menos ${length} caracteres. Se rechazan las contraseñas comunes y las palabras sobre usted.`,
  passwordsDiffer: "Las dos contraseñas nuevas no coinciden.",
  passwordChanged: "Se han cerrado las demás sesiones y anulado los navegadores de confianza.",
  providers: "Inicio de sesión con un proveedor",
  provider: "el proveedor",
  link: (provider: string) => `Vincular ${provider}`,
  noProviders: "No hay ninguna cuenta del proveedor vinculada. Una cuenta vinculada inicia sesión aquí sin contraseña.",
  lastUsed: "último uso",
  unlink: "Desvincular",
  unlinkTitle: (name: string) => `Desvincular ${name}`,
  unlinkHint: "Esta cuenta del proveedor ya no podrá iniciar sesión aquí. Las sesiones que abrió se conservan.",
  sessionsHint: "Los navegadores en los que ha iniciado sesión. Una sesión cerrada exige iniciar sesión de nuevo.",
  browser: "Navegador",
  unknownBrowser: "Navegador desconocido",
  thisSession: "esta sesión",
  address: common.ipAddress,
  signedIn: "Inicio",
  lastSeen: "Última actividad",
  end: "Cerrar",
  endOf: (address: string) => `Cerrar la sesión desde ${address}`,
  endOthers: "Cerrar todas las demás",
  endOthersTitle: (count: Count) => plural(count, "Cerrar # sesión más", "Cerrar las otras # sesiones")
}
