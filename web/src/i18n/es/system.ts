import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const system: Texts["system"] = {
  tabs: { health: common.health, versions: "Versiones", settings: common.settings },
  part: "Parte",
  status: common.status,
  detail: common.details,
  took: common.took,
  statuses: { ok: "Correcto", degraded: "Degradado", failed: common.failed },
  statusHints: {
    ok: "todas las comprobaciones han pasado.",
    degraded: "el servidor funciona, pero una parte requiere atención.",
    failed: "no funciona una parte que el servidor necesita."
  },
  checks: {
    database: "Base de datos",
    migrations: "Esquema de la base de datos",
    leaders: "Concesiones en segundo plano",
    mail: "Correo",
    secret_key: "Clave de cifrado",
    audit_chain: "Registro de auditoría firmado",
    audit_verification: "Verificación del registro de auditoría"
  },
  checkHints: {
    database: "Responde a lecturas y escrituras.",
    migrations: "Tiene la revisión que necesita este programa.",
    leaders: "Qué proceso hace cada trabajo que solo uno puede hacer.",
    mail: "Ningún correo espera tras una entrega fallida.",
    secret_key: "Se conoce la clave que descifra los secretos guardados.",
    audit_chain: "Las entradas más recientes coinciden con lo firmado.",
    audit_verification: "La última ejecución leyó cada entrada y encontró lo firmado."
  },
  loop: (name: string) => `Bucle en segundo plano: ${name}`,
  loops: (running: string, all: string) =>
    `${running} de ${all} bucles en segundo plano funcionan sin errores en este proceso.`,
  revision: (found: string, expected: string) => `revisión ${found}, se esperaba ${expected}`,
  forwarder: "Webhook de auditoría",
  forwarderOff:
    "No está configurado. Con SVC_AUDIT_WEBHOOK_URL, el servidor envía cada entrada del registro de auditoría a otro sistema.",
  forwarderHint: (worker: string) =>
    `Contado desde el arranque del proceso ${worker}; cada réplica tiene sus propias cifras.`,
  delivered: "Entradas entregadas",
  waiting: "Entradas en espera",
  dropped: "Entradas descartadas",
  lastDelivered: "Última entrega",
  failuresInRow: "Fallos seguidos",
  installation: "Instalación",
  program: "svc",
  runtime: "Entorno de ejecución",
  os: "Sistema operativo",
  database: "Base de datos",
  dialects: { sqlite: "SQLite", pg: "PostgreSQL" },
  schema: "Revisión del esquema",
  size: common.size,
  megabytes: (count: string) => `${count} MB`,
  check: "Buscar versiones más recientes",
  checked: "La lista de versiones se leyó",
  neverChecked: "La lista de versiones no se ha leído. El servidor solo la lee cuando usted lo pide.",
  package: "Paquete",
  installed: "Instalada",
  latest: "Más reciente",
  unknown: common.unknown,
  outdated: "Hay una versión más reciente",
  current: "Actualizado",
  secondFactor: {
    title: common.secondFactor,
    all: "Todos necesitan un segundo factor",
    admins: "Los administradores globales necesitan un segundo factor",
    none: "El segundo factor es opcional",
    without: (count: Count) => `${plural(count, "# usuario activo no lo tiene", "# usuarios activos no lo tienen")}.`,
    deadline: (days: Count) =>
      `Quienes no lo tienen lo configuran en su próximo inicio de sesión, en un plazo de ${
        plural(days, "# día", "# días")
      }.`,
    bySetting: "El ajuste SVC_MFA_ENFORCE_FOR_ALL lo exige. Cámbielo allí.",
    require: "Exigir a todos",
    relax: "Hacer opcional",
    requireTitle: "¿Exigir un segundo factor a todos?",
    relaxTitle: "¿Hacer opcional el segundo factor?",
    ownFirst: "Primero necesita usted un segundo factor.",
    setUp: "Configurarlo"
  },
  settingsHint: (home: string) =>
    `Los valores vigentes en el proceso que responde, con los secretos ocultos. Cámbielos en el entorno o en svc.conf de ${home} y reinicie.`,
  filter: "Filtrar ajustes",
  onlySet: "Solo los definidos",
  noSetting: "Ningún ajuste coincide",
  setting: "Ajuste",
  value: "Valor",
  source: common.source,
  sources: {
    environment: "Entorno",
    file: common.file,
    tunables: "svc.conf",
    default: "Predeterminado",
    option: "Línea de comandos"
  }
}
