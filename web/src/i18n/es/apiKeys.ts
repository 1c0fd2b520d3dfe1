import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const apiKeys: Texts["apiKeys"] = {
  title: common.apiKeys,
  hint:
    "Con las claves, los programas llaman a la API en su nombre. Una clave nunca puede hacer más que usted, ni más de lo que indican sus ámbitos.",
  none: "No hay claves de API",
  noneHint: "Cree una para un script o para svc en otra máquina.",
  create: "Crear una clave de API",
  name: common.name,
  nameHint: "El programa que usa la clave.",
  project: common.project,
  projectHint: "Una clave de un proyecto no ve ningún otro.",
  allProjects: common.allProjects,
  lifetime: "Caduca en",
  forEver: "Nunca",
  scopes: "Ámbitos",
  scopesHint: "Dé a una clave solo lo que necesita su programa.",
  noScopes: "sin ámbitos",
  presets: {
    ci_deploys: "CI: solo despliegues",
    read_only: "Solo lectura",
    operator: common.operator,
    agent_provisioning: "Alta de agentes",
    metrics: "Paneles y métricas"
  },
  chooseNone: "Ninguno",
  addresses: "Direcciones IP",
  addressesHint:
    "Redes como 192.0.2.0/24, una por línea. Desde otras direcciones la clave se rechaza. Vacío: funciona desde cualquier lugar.",
  addressesOf: (name: string) => `Direcciones IP de ${name}`,
  statuses: { active: common.active, revoked: common.revoked, expired: common.expired },
  lastUsed: "Último uso",
  never: common.never,
  revokeTitle: (name: string) => `Revocar ${name}`,
  revokeHint: "Los programas con esta clave se rechazan de inmediato. Una clave revocada no se puede restaurar.",
  createdTitle: (name: string) => `${name} se ha creado`,
  tokenHint: "El token solo se muestra una vez. El servidor guarda únicamente su hash.",
  token: "Token",
  tryIt: "Pruébelo",
  resources: {
    auth: "Cuenta propia",
    home: "Inicio",
    projects: common.projects,
    tasks: common.tasks,
    workers: common.workers,
    queues: common.queues,
    agents: common.agents,
    commands: common.commands,
    schedules: common.schedules,
    audit: common.auditLog,
    memberships: common.people,
    notifications: common.notifications,
    automation: common.automation,
    deploys: common.deploys,
    users: common.users,
    admin: "Todo"
  },
  scopeHints: {
    "auth:read": "Ver su cuenta, las reglas de contraseñas, sus claves de API y los ámbitos.",
    "auth:write": "Revocar sus claves de API, también esta.",
    "home:read": "Ver el resumen de todos los proyectos, los fallos recientes y el estado del servidor.",
    "projects:read": "Ver los proyectos con sus ajustes y las aprobaciones pendientes.",
    "projects:write":
      "Cambiar ajustes, decidir aprobaciones y eliminar proyectos con todas sus tareas. De gran alcance.",
    "tasks:read": "Ver tareas con argumentos y resultados, fallos, tendencias y eventos en directo.",
    "tasks:write": "Guardar vistas, y asignar, silenciar y resolver grupos de fallos.",
    "tasks:delete": "Eliminar muchas tareas a la vez.",
    "workers:read": "Ver los workers y los consejos sobre su configuración.",
    "queues:read": "Ver las colas y su profundidad.",
    "agents:read": "Ver los agentes y sus conexiones.",
    "agents:write": "Crear y eliminar agentes, que reciben comandos e informan de tareas. De gran alcance.",
    "commands:read": "Ver los comandos y sus resultados.",
    "commands:write":
      "Reintentar, cancelar y ejecutar tareas con cualquier argumento, vaciar colas, reiniciar workers. De gran alcance.",
    "schedules:read": "Ver las programaciones con sus disparos.",
    "schedules:write": "Crear, cambiar, disparar y eliminar programaciones.",
    "audit:read": "Ver el registro de auditoría y la actividad.",
    "audit:write": "Iniciar exportaciones del registro de auditoría.",
    "memberships:read": "Ver miembros e invitaciones.",
    "memberships:write": "Invitar a usuarios y cambiar y quitar miembros.",
    "notifications:read": "Ver canales, alertas, entregas y su bandeja de entrada.",
    "notifications:write":
      "Cambiar canales y suscripciones, confirmar alertas y marcar su bandeja de entrada como leída.",
    "automation:read": "Ver las reglas de automatización con sus ejecuciones.",
    "automation:write": "Crear, cambiar y eliminar reglas de automatización.",
    "deploys:read":
      "Ver cuándo se desplegaron versiones y las demás marcas de los gráficos: comandos, reglas, ejecuciones perdidas y ventanas de mantenimiento.",
    "deploys:write": "Marcar despliegues y eliminar las marcas. Es todo lo que necesita un trabajo de despliegue.",
    "users:read": "Ver todas las cuentas. Solo los administradores globales pueden concederlo.",
    "users:write": "Crear, cambiar y eliminar cuentas. Solo los administradores globales pueden concederlo.",
    "admin:*":
      "Todo lo que usted puede hacer, también lo que añadan versiones posteriores. Solo los administradores globales pueden concederlo."
  }
}
