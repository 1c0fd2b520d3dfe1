import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const secondFactor: Texts["secondFactor"] = {
  title: common.secondFactor,
  setUp: "Configurar el segundo factor",
  intro:
    "Un código de una aplicación de autenticación, además de la contraseña. Así, una contraseña robada por sí sola no abre nada. Necesita una aplicación como Aegis, Google Authenticator o 1Password.",
  required: (deadline: string) =>
    `Se exige un segundo factor. Configúrelo antes del ${deadline}; hasta entonces todo funciona como antes.`,
  overdue: (deadline: string) => `Se exigía un segundo factor antes del ${deadline}. Configúrelo para continuar.`,
  isEnrolled: "Hay un segundo factor configurado.",
  begin: "Empezar",
  scan: "Escanee el código con la aplicación. Si no puede escanear, escriba la clave.",
  qrCode: "Código QR para la aplicación de autenticación",
  manualKey: "Clave para escribir",
  codeHint: "Los seis dígitos que muestra ahora la aplicación.",
  codes: "Códigos de recuperación",
  codesHint:
    "Si pierde la aplicación, cada código permite iniciar sesión una vez. Guárdelos donde solo usted pueda leerlos. Solo se muestran una vez.",
  download: common.download,
  copyAll: "Copiar todos",
  continue: common.continue,
  back: "Ahora no",
  since: "Configurado",
  codesLeft: "Códigos de recuperación restantes",
  fewCodes: "genere otros nuevos",
  regenerate: "Nuevos códigos de recuperación",
  regenerateHint: "Los códigos que tiene dejan de funcionar de inmediato.",
  disable: "Eliminar el segundo factor",
  disableHint:
    "Después basta la contraseña para iniciar sesión. Se eliminan los códigos de recuperación y los navegadores de confianza. Si la política exige un segundo factor, deberá configurar otro.",
  devices: "Navegadores de confianza",
  noDevices:
    "En un navegador de confianza, el inicio de sesión no pide código durante un tiempo. Confíe solo en navegadores que use únicamente usted.",
  trustThis: "Confiar en este navegador",
  thisBrowser: "este navegador",
  rename: "Cambiar nombre",
  renameDevice: "Cambiar el nombre del navegador",
  deviceName: common.name,
  lastSeen: "última actividad",
  expires: "caduca"
}
