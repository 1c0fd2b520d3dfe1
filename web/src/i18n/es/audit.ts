import type { Texts } from "../en.ts"

export const audit: Texts["audit"] = {
  title: "Registro de auditoría",
  tabs: "Partes del registro de auditoría",
  log: "Registro",
  exports: "Exportaciones",
  none: "Todavía no hay filas",
  noneHint: "Cada cambio del proyecto escribe una fila, en la misma transacción.",
  noMatchHint: "Elija otra acción, persona, decisión o período.",
  outcome: "Decisión",
  anyOutcome: "Todas las decisiones",
  ofTarget: (id: string) => `Solo lo hecho a ${id}`,
  ofAllTargets: "Mostrar todo",
  outcomes: { allow: "Permitida", deny: "Denegada" },
  since: "Período",
  windows: {
    "1h": "Última hora",
    "24h": "Últimas 24 horas",
    "7d": "Últimos 7 días",
    "30d": "Últimos 30 días",
    all: "Todo el tiempo"
  },
  address: "Dirección de origen",
  addressHidden: "Solo los administradores globales ven las direcciones.",
  row: "Fila",
  result: "Resultado",
  metadata: "Metadatos",
  target: "Objetivo",
  targetId: "Id. del objetivo",
  exactTime: "Hora",
  chain: "Integridad de todo el registro",
  chainHint:
    "Cada vez se comprueban la fila más reciente y su firma. Solo svc audit verify lee todas las filas sin confiar en nadie.",
  head: "Fila más reciente",
  headOk: "Firmada con una clave conocida",
  verification: "Última verificación de todas las filas",
  verificationOff: "No programada (SVC_AUDIT_CHAIN_VERIFY_ENABLED)",
  states: { ok: "Íntegro", degraded: "Sin terminar", failed: "Dañado" },
  forwarder: "Webhook",
  forwarderOff: "Desactivado (SVC_AUDIT_WEBHOOK_URL)",
  forwarderState: (sent, failed) => `${sent} entregadas, ${failed} descartadas`,
  waiting: (count) => `${count} en espera`,
  create: "Exportar",
  createTitle: "Exportar el registro de auditoría",
  createHint:
    "El archivo contiene las filas que coinciden con los filtros de esta página, las más recientes primero. Se escribe en segundo plano.",
  filters: "Filtros",
  noFilters: "Todas las filas del proyecto",
  noExportsHint:
    "Elija filtros en el registro y exporte. Un archivo se elimina SVC_EXPORT_JOBS_RETENTION_DAYS días después de terminar (7 por defecto)."
}
