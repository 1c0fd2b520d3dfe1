import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const attention: Texts["attention"] = {
  title: common.needsAttention,
  calm: "Nada requiere atención",
  severities: { critical: common.critical, warning: common.warning },
  kinds: {
    agents_offline: (count: Count) => plural(count, "# agente sin conexión", "# agentes sin conexión"),
    agents_refused: (count: Count) =>
      plural(
        count,
        "A # agente se le han rechazado solicitudes en las últimas 24 horas",
        "A # agentes se les han rechazado solicitudes en las últimas 24 horas"
      ),
    alerts_open: (count: Count) => plural(count, "# alerta abierta sin confirmar", "# alertas abiertas sin confirmar"),
    approvals_waiting: (count: Count) =>
      plural(count, "# acción espera a una segunda persona", "# acciones esperan a una segunda persona"),
    failure_rate: (count: Count) => `Falla al menos el 20 % de las tareas: ${count.text} en las últimas 24 horas`,
    queue_depth: (count: Count) => plural(count, "# cola tiene 1000 tareas o más", "# colas tienen 1000 tareas o más"),
    queue_over_target: (count: Count) =>
      plural(
        count,
        "# cola tiene una tarea que espera más que su objetivo",
        "# colas tienen tareas que esperan más que su objetivo"
      ),
    queue_growth: (count: Count) =>
      plural(count, "# cola lleva 15 minutos creciendo", "# colas llevan 15 minutos creciendo"),
    queue_unconsumed: (count: Count) =>
      plural(
        count,
        "# cola tiene tareas en espera y ningún worker la consume",
        "# colas tienen tareas en espera y ningún worker las consume"
      ),
    failure_groups_regressed: (count: Count) =>
      plural(
        count,
        "# grupo de fallos resuelto ha vuelto a fallar",
        "# grupos de fallos resueltos han vuelto a fallar"
      ),
    failure_groups_new: (count: Count) =>
      plural(
        count,
        "# grupo de fallos nuevo en las últimas 24 horas",
        "# grupos de fallos nuevos en las últimas 24 horas"
      ),
    failure_groups_escalating: (count: Count) =>
      plural(
        count,
        "# grupo de fallos empeora: al menos el doble que en su peor hora del día anterior",
        "# grupos de fallos empeoran: al menos el doble que en su peor hora del día anterior"
      ),
    stuck_commands: (count: Count) =>
      plural(
        count,
        "# comando atascado desde hace más de 5 minutos",
        "# comandos atascados desde hace más de 5 minutos"
      ),
    schedule_misfires: (count: Count) =>
      plural(
        count,
        "# ejecución programada perdida en las últimas 24 horas",
        "# ejecuciones programadas perdidas en las últimas 24 horas"
      ),
    channels_disabled: (count: Count) => plural(count, "# canal desactivado", "# canales desactivados"),
    breakers_tripped: (count: Count) =>
      plural(count, "# regla con el disyuntor activado", "# reglas con el disyuntor activado"),
    schedules_tripped: (count: Count) =>
      plural(count, "# programación desactivada por el disyuntor", "# programaciones desactivadas por el disyuntor")
  },
  lastSeen: (name: string, time: string) => `${name}: visto por última vez ${time}`,
  neverConnected: (name: string) => `${name}: nunca se ha conectado`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
