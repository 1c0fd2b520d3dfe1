import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const attention: Texts["attention"] = {
  title: common.needsAttention,
  calm: "Kein Handlungsbedarf",
  severities: { critical: common.critical, warning: common.warning },
  kinds: {
    agents_offline: (count: Count) => plural(count, "# Agent ist offline", "# Agenten sind offline"),
    agents_refused: (count: Count) => `Von ${count.text} Agenten wurde in den letzten 24 Stunden etwas abgelehnt`,
    alerts_open: (count: Count) =>
      plural(count, "# offener Alarm ist nicht bestätigt", "# offene Alarme sind nicht bestätigt"),
    approvals_waiting: (count: Count) =>
      plural(count, "# Aktion wartet auf eine zweite Person", "# Aktionen warten auf eine zweite Person"),
    failure_rate: (count: Count) => `Mindestens 20 % der Tasks schlagen fehl: ${count.text} in den letzten 24 Stunden`,
    queue_depth: (count: Count) =>
      plural(count, "# Queue hat 1.000 Tasks oder mehr", "# Queues haben 1.000 Tasks oder mehr"),
    queue_over_target: (count: Count) =>
      plural(count, "In # Queue wartet ein Task länger als ihr Ziel", "In # Queues warten Tasks länger als ihr Ziel"),
    queue_growth: (count: Count) => plural(count, "# Queue wächst seit 15 Minuten", "# Queues wachsen seit 15 Minuten"),
    queue_unconsumed: (count: Count) =>
      plural(
        count,
        "In # Queue warten Tasks, und kein Worker liest sie",
        "In # Queues warten Tasks, und kein Worker liest sie"
      ),
    failure_groups_regressed: (count: Count) =>
      plural(count, "# gelöste Fehlergruppe ist wieder aufgetreten", "# gelöste Fehlergruppen sind wieder aufgetreten"),
    failure_groups_new: (count: Count) =>
      plural(count, "# neue Fehlergruppe in den letzten 24 Stunden", "# neue Fehlergruppen in den letzten 24 Stunden"),
    failure_groups_escalating: (count: Count) =>
      plural(
        count,
        "# Fehlergruppe eskaliert: mindestens doppelt so viele Fehler wie in der schlimmsten Stunde des Vortags",
        "# Fehlergruppen eskalieren: mindestens doppelt so viele Fehler wie in der schlimmsten Stunde des Vortags"
      ),
    stuck_commands: (count: Count) =>
      plural(count, "# Befehl hängt seit über 5 Minuten", "# Befehle hängen seit über 5 Minuten"),
    schedule_misfires: (count: Count) =>
      plural(
        count,
        "# verpasste Ausführung eines Zeitplans in den letzten 24 Stunden",
        "# verpasste Ausführungen von Zeitplänen in den letzten 24 Stunden"
      ),
    channels_disabled: (count: Count) => plural(count, "# Kanal ist deaktiviert", "# Kanäle sind deaktiviert"),
    breakers_tripped: (count: Count) =>
      plural(count, "Bei # Regel hat der Schutzschalter ausgelöst", "Bei # Regeln hat der Schutzschalter ausgelöst"),
    schedules_tripped: (count: Count) =>
      plural(count, "# Zeitplan vom Schutzschalter deaktiviert", "# Zeitpläne vom Schutzschalter deaktiviert")
  },
  lastSeen: (name: string, time: string) => `${name}: zuletzt gesehen ${time}`,
  neverConnected: (name: string) => `${name}: war noch nie verbunden`,
  refused: (name: string, reason: string) => `${name}: ${reason}`
}
