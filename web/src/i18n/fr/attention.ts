import type { Texts } from "../en.ts"

export const attention: Texts["attention"] = {
  title: "Points d’attention",
  calm: "Aucun point d’attention",
  severities: { critical: "Critique", warning: "Alerte" },
  kinds: {
    agents_offline: (count: string) => `Agents hors ligne\u00a0: ${count}`,
    agents_refused: (count: string) => `Agents dont un envoi a été refusé ces dernières 24 heures\u00a0: ${count}`,
    failure_rate: (count: string) => `Au moins 20\u00a0% des tâches échouent. Ces dernières 24 heures\u00a0: ${count}`,
    queue_depth: (count: string) => `Files de 1\u202f000 tâches ou plus\u00a0: ${count}`,
    queue_growth: (count: string) => `Files qui ne font que croître depuis 15 minutes\u00a0: ${count}`,
    stuck_commands: (count: string) => `Commandes sans résultat depuis 5 minutes\u00a0: ${count}`,
    schedule_misfires: (count: string) => `Ticks manqués de planifications ces dernières 24 heures\u00a0: ${count}`,
    channels_disabled: (count: string) => `Canaux désactivés\u00a0: ${count}`,
    breakers_tripped: (count: string) => `Règles dont le disjoncteur a sauté\u00a0: ${count}`,
    schedules_tripped: (count: string) => `Planifications désactivées par le disjoncteur\u00a0: ${count}`
  },
  lastSeen: (name: string, time: string) => `${name}\u00a0: vu pour la dernière fois ${time}`,
  neverConnected: (name: string) => `${name}\u00a0: ne s’est jamais connecté`,
  refused: (name: string, reason: string) => `${name}\u00a0: ${reason}`
}
