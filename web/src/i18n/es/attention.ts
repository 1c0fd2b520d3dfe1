import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Requiere atención",
  calm: "Nada requiere atención",
  severities: { critical: "Crítico", warning: "Aviso" },
  kinds: {
    agents_offline: (count: string) => `Agentes sin conexión: ${count}`,
    agents_refused: (count: string) => `Agentes con algún rechazo en las últimas 24 horas: ${count}`,
    failure_rate: (count: string) => `Falla al menos el 20 % de las tareas. En las últimas 24 horas: ${count}`,
    queue_depth: (count: string) => `Colas con 1000 tareas o más: ${count}`,
    queue_growth: (count: string) => `Colas que llevan 15 minutos creciendo sin bajar: ${count}`,
    stuck_commands: (count: string) => `Comandos sin resultado desde hace 5 minutos: ${count}`,
    schedule_misfires: (count: string) => `Ticks fallidos de programaciones en las últimas 24 horas: ${count}`,
    channels_disabled: (count: string) => `Canales desactivados: ${count}`,
    breakers_tripped: (count: string) => `Reglas con el disyuntor activado: ${count}`,
    schedules_tripped: (count: string) => `Programaciones que el disyuntor ha desactivado: ${count}`
  },
  lastSeen: (name: string, time: string) => `${name}: visto por última vez ${time}`,
  neverConnected: (name: string) => `${name}: nunca se ha conectado`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
