import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"

export const audit: Texts["audit"] = {
  title: "Registro de auditoría",
  tabs: "Partes del registro de auditoría",
  log: "Registro",
  exports: "Exportaciones",
  none: "Todavía no hay entradas",
  noneHint: "Cada cambio del proyecto escribe una entrada, en la misma transacción.",
  noMatchHint: "Elija otra acción, otro usuario, otra decisión u otro periodo.",
  outcome: "Decisión",
  anyOutcome: "Todas las decisiones",
  ofTarget: (id: string) => `Solo las entradas sobre ${id}`,
  ofAllTargets: "Mostrar todo",
  outcomes: { allow: "Permitida", deny: "Denegada" },
  since: "Periodo",
  windows: {
    "1h": "Última hora",
    "24h": "Últimas 24 horas",
    "7d": "Últimos 7 días",
    "30d": "Últimos 30 días",
    all: "Todo el tiempo"
  },
  address: "Dirección IP",
  addressHidden: "Solo los administradores globales ven las direcciones IP.",
  row: "Entrada",
  result: "Resultado",
  metadata: "Metadatos",
  target: "Objetivo",
  targetId: "ID del objetivo",
  exactTime: "Hora",
  chain: "Integridad del registro",
  chainHint:
    "Cada vez se comprueban la entrada más reciente y su firma. Para comprobar todas las entradas de forma independiente, ejecute svc audit verify.",
  head: "Entrada más reciente",
  headOk: "Firmada con una clave conocida",
  verification: "Última verificación de todas las entradas",
  verificationOff: "No programada. El administrador del servidor puede activarla.",
  states: { ok: "Íntegro", degraded: "Incompleta", failed: "Dañado" },
  forwarder: "Webhook",
  forwarderOff: "Desactivado. El administrador del servidor puede activarlo.",
  forwarderState: (sent, failed) => `${sent} entregadas, ${failed} descartadas`,
  waiting: (count: Count) => `${count.text} en espera`,
  create: "Exportar",
  createTitle: "Exportar el registro de auditoría",
  createHint:
    "El archivo contiene las entradas que coinciden con los filtros de esta página, las más recientes primero. Se escribe en segundo plano.",
  filters: "Filtros",
  noFilters: "Todas las entradas del proyecto",
  noExportsHint:
    "Elija filtros en el registro y exporte. Los archivos se conservan 7 días, salvo que el administrador del servidor haya fijado otro plazo."
}
