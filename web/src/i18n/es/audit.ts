import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const audit: Texts["audit"] = {
  title: common.auditLog,
  tabs: "Partes del registro de auditoría",
  log: "Registro",
  exports: common.exports,
  none: "Todavía no hay entradas",
  noneHint: "Cada cambio del proyecto escribe una entrada, en la misma transacción.",
  noMatchHint: "Elija otra acción, otro usuario, otra decisión u otro periodo.",
  outcome: "Decisión",
  anyOutcome: "Todas las decisiones",
  ofTarget: (id: string) => `Solo las entradas sobre ${id}`,
  ofAllTargets: common.showAll,
  outcomes: { allow: "Permitida", deny: common.refused },
  since: "Periodo",
  windows: {
    "1h": "Última hora",
    "24h": common.last24Hours,
    "7d": "Últimos 7 días",
    "30d": "Últimos 30 días",
    all: "Todo el tiempo"
  },
  address: common.ipAddress,
  addressHidden: "Solo los administradores globales ven las direcciones IP.",
  row: "Entrada",
  result: common.result,
  metadata: "Metadatos",
  target: common.target,
  targetId: "ID del objetivo",
  exactTime: common.time,
  chain: "Integridad del registro",
  chainHint:
    "Cada vez se comprueban la entrada más reciente y su firma. Para comprobar todas las entradas de forma independiente, ejecute svc audit verify.",
  head: "Entrada más reciente",
  headOk: "Firmada con una clave conocida",
  verification: "Última verificación de todas las entradas",
  fromEntry: "Desde la entrada rota",
  verify: {
    never: "Todavía sin verificar",
    start: "Verificar todas las entradas",
    starting: "Empezando…",
    progress: (checked: string, total: string) => `${checked} de ${total} entradas comprobadas`,
    results: {
      intact: (rows: string, _seq: string) => `Íntegro: las ${rows} entradas.`,
      broken: (rows: string, seq: string) => `Roto en la entrada ${seq}, tras ${rows} entradas íntegras.`,
      error: (_rows: string, _seq: string) => "No se pudo completar. El registro del servidor tiene la causa."
    },
    problems: {
      changed: "La entrada se modificó.",
      missing: "Aquí se quitaron una o más entradas.",
      inserted: "La entrada no la escribió el servidor, o sigue a la más reciente.",
      reordered: "La entrada está en otro lugar.",
      cut: "Faltan las entradas más recientes.",
      key_unknown: "La clave de la entrada es desconocida.",
      head: "El apunte de la entrada más reciente no coincide con el registro.",
      watermark: "El principio del registro no es fiable."
    },
    showEntry: "Mostrar la entrada"
  },
  states: { ok: "Íntegro", degraded: "Incompleta", failed: "Dañado" },
  forwarder: common.webhook,
  forwarderOff: "Desactivado. El administrador del servidor puede activarlo.",
  forwarderState: (sent, failed) => `${sent} entregadas, ${failed} descartadas`,
  waiting: (count: Count) => `${count.text} en espera`,
  create: common.export,
  createTitle: "Exportar el registro de auditoría",
  createHint:
    "El archivo contiene las entradas que coinciden con los filtros de esta página, las más recientes primero. Se escribe en segundo plano.",
  filters: common.filters,
  noFilters: "Todas las entradas del proyecto",
  noExportsHint:
    "Elija filtros en el registro y exporte. Los archivos se conservan 7 días, salvo que el administrador del servidor haya fijado otro plazo."
}
