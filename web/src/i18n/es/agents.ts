import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const agents: Texts["agents"] = {
  title: common.agents,
  name: common.agent,
  id: common.id,
  state: common.status,
  engines: "Motores",
  host: common.host,
  framework: common.framework,
  version: common.version,
  protocol: "Protocolo",
  facts: common.details,
  lastSeen: common.lastSeen,
  connectedAt: "Última conexión",
  createdAt: "Creado",
  never: common.neverInText,
  outdated: "versión de protocolo anterior",
  refused: "Último rechazo",
  refusedBefore: "Se ha conectado después, por lo que no hay nada que hacer.",
  advice: common.needsAttention,
  noTrouble: "El servidor no ha encontrado problemas en este agente.",
  capabilities: "Capacidades",
  noCapabilities: "No ha indicado sus capacidades. Los agentes solo las indican por WebSocket.",
  lastDay: common.last24Hours,
  uptime: (percent: string) => `Conectado el ${percent} de las últimas 24 h`,
  uptimeOfKnown: (percent: string, duration: string) => `Conectado el ${percent} del tiempo conocido (${duration})`,
  uptimeUnknown: "No se sabe",
  away: (duration: string, time: string) => `desconectado ${duration} a las ${time}`,
  awaySince: (time: string) => `desconectado desde ${time}`,
  awayInAll: (count: Count, duration: string) => `desconectado ${count.text} veces, ${duration} en total`,
  legend: "Cada media hora",
  cells: {
    connected: "Conectado",
    partly: "Desconectado en parte",
    away: "Desconectado",
    unknown: "No se sabe: antes de la primera conexión, o el servidor no funcionaba"
  },
  noOutage: "Ninguna interrupción registrada.",
  losses: "Telemetría perdida",
  noLoss: "Ninguno de sus procesos ha notificado eventos perdidos.",
  none: common.noAgentsYet,
  noneHint:
    "Un agente conecta un motor de tareas con el servidor. El asistente muestra qué instalar y qué líneas copiar.",
  adminsCreate: "Solo los administradores crean agentes",
  adminsCreateHint: "Pida a un administrador del proyecto que cree uno.",
  unknown: "Agente no encontrado",
  unknownHint: "Puede que se haya eliminado. La lista muestra los existentes.",
  create: "Nuevo agente",
  createSubmit: "Crear agente",
  chooseEngine: "¿Qué motor ejecuta las tareas?",
  newName: "Nombre del agente",
  newNameHint: "Aparece en listas y comandos; por ejemplo, el nombre del despliegue.",
  namespace: "Espacio de nombres",
  namespaceHint:
    "Opcional. Pasa a formar parte de los ids de sus tareas, como eu/mail:1. Hace falta donde los ids solo son únicos dentro de un broker: BullMQ, ids de RQ puestos a mano, lectores externos.",
  back: "Volver a los agentes",
  shownOnce:
    "El token y el secreto solo se muestran una vez. Cópielos antes de salir de esta página; quien los tenga puede notificar tareas en nombre de este agente.",
  choosePlace: "Dónde se ejecuta el worker",
  places: { shell: "Shell", docker: "Docker", kubernetes: "Kubernetes" },
  steps: {
    environment: "1. Instalar y definir el entorno",
    code: "2. Añadir a la aplicación",
    start: "3. Iniciar el worker"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAME debe coincidir con el nombre de nodo de --hostname. De lo contrario, cada evento llega una vez por agente.",
  plainHttp:
    "http sin cifrar solo funciona si el worker está en la máquina del servidor. Desde otras máquinas, use su dirección https.",
  waitTitle: "Primeros eventos",
  waitingForConnection: "Esperando a que el agente se conecte",
  connected: (host: string) => `Conectado desde ${host}`,
  waitingForEvent: "Esperando el primer evento",
  firstEvent: (kind: string) => `Ha llegado el primer evento (${kind}):`,
  toAgent: "Abrir el agente",
  toOverview: "Próximos pasos",
  remedies: {
    secret:
      "Defina el secreto HMAC que se mostró junto a este token y reinicie el worker. Si ya no lo tiene, cree otro agente.",
    clock: "Ajuste el reloj de la máquina del agente, por ejemplo con NTP.",
    upgrade: "Actualice el paquete del agente: este servidor usa la versión 2 del protocolo.",
    proxy:
      "Revise el proxy inverso: debe reenviar el WebSocket de inmediato y mantener abierta más de 60 segundos una conexión inactiva.",
    repeated: "Una trama llegó dos veces. Busque un proxy que repita solicitudes; el agente se reconecta por sí mismo.",
    size:
      "El agente envía demasiado de una vez. Acorte los argumentos y resultados de sus tareas o actualice el agente.",
    other: "Actualice el paquete del agente. Si se rechaza de nuevo, comunique la frase anterior."
  },
  deleteQuestion: (name: string) => `¿Eliminar el agente ${name}?`,
  deleteHint:
    "Se revoca su token, se cierran sus conexiones y se cancelan sus comandos pendientes. Sus tareas se conservan."
}
