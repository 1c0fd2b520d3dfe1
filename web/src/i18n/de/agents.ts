import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const agents: Texts["agents"] = {
  title: common.agents,
  name: common.agent,
  id: common.id,
  state: common.status,
  engines: "Engines",
  host: common.host,
  framework: common.framework,
  version: common.version,
  protocol: "Protokoll",
  facts: common.details,
  lastSeen: common.lastSeen,
  connectedAt: "Zuletzt verbunden",
  createdAt: "Erstellt",
  never: common.neverInText,
  outdated: "ältere Protokollversion",
  refused: "Zuletzt abgewiesen",
  refusedBefore: "Der Agent hat sich seitdem verbunden; es ist nichts zu tun.",
  advice: common.needsAttention,
  noTrouble: "Der Server hat an diesem Agenten kein Problem festgestellt.",
  capabilities: "Fähigkeiten",
  noCapabilities: "Der Agent hat seine Fähigkeiten nicht gemeldet. Agenten melden sie nur über WebSocket.",
  lastDay: common.last24Hours,
  uptime: (percent: string) => `${percent} der letzten 24 h verbunden`,
  uptimeOfKnown: (percent: string, duration: string) => `${percent} der bekannten ${duration} verbunden`,
  uptimeUnknown: "Nicht bekannt",
  away: (duration: string, time: string) => `${duration} getrennt um ${time}`,
  awaySince: (time: string) => `getrennt seit ${time}`,
  awayInAll: (count: Count, duration: string) => `${count.text}-mal getrennt, zusammen ${duration}`,
  legend: "Jede halbe Stunde",
  cells: {
    connected: "Verbunden",
    partly: "Teilweise getrennt",
    away: "Getrennt",
    unknown: "Nicht bekannt: vor der ersten Verbindung, oder der Server lief nicht"
  },
  noOutage: "Keine Ausfälle aufgezeichnet.",
  losses: "Verlorene Telemetrie",
  noLoss: "Kein Prozess des Agenten hat verlorene Ereignisse gemeldet.",
  none: common.noAgentsYet,
  noneHint:
    "Ein Agent verbindet eine Task-Engine mit dem Server. Der Assistent zeigt, was zu installieren und welche Zeilen zu kopieren sind.",
  adminsCreate: "Nur Administratoren erstellen Agenten",
  adminsCreateHint: "Bitten Sie einen Administrator des Projekts, einen Agenten zu erstellen.",
  unknown: "Agent nicht gefunden",
  unknownHint: "Er wurde vielleicht gelöscht. Die Liste zeigt die vorhandenen Agenten.",
  create: "Neuer Agent",
  createSubmit: "Agent erstellen",
  chooseEngine: "Welche Engine führt die Tasks aus?",
  newName: "Name des Agenten",
  newNameHint: "Erscheint in Listen und Befehlen, zum Beispiel der Name des Deployments.",
  namespace: "Namensraum",
  namespaceHint:
    "Optional. Wird Teil der Task-IDs, etwa eu/mail:1. Nötig, wo IDs nur innerhalb eines Brokers eindeutig sind: BullMQ, von Hand gesetzte RQ-IDs, Leser von außen.",
  back: "Zurück zu den Agenten",
  shownOnce:
    "Token und Geheimnis werden nur einmal angezeigt. Kopieren Sie beide, bevor Sie diese Seite verlassen. Wer sie kennt, kann für diesen Agenten Tasks melden.",
  choosePlace: "Wo der Worker läuft",
  places: { shell: "Shell", docker: "Docker", kubernetes: "Kubernetes" },
  steps: {
    environment: "1. Installieren und Umgebung setzen",
    code: "2. In die Anwendung einfügen",
    start: "3. Worker starten"
  },
  celeryHostname:
    "Z4J_CELERY_LOCAL_HOSTNAME muss dem Knotennamen nach --hostname gleichen. Sonst kommt jedes Ereignis einmal je Agent an.",
  plainHttp:
    "Reines http funktioniert nur, wenn der Worker auf der Maschine des Servers läuft. Verwenden Sie von anderen Maschinen aus die https-Adresse des Servers.",
  waitTitle: "Erste Ereignisse",
  waitingForConnection: "Warten auf die Verbindung des Agenten",
  connected: (host: string) => `Verbunden von ${host}`,
  waitingForEvent: "Warten auf das erste Ereignis",
  firstEvent: (kind: string) => `Das erste Ereignis ist eingetroffen (${kind}):`,
  toAgent: "Agenten öffnen",
  toOverview: "Nächste Schritte",
  remedies: {
    secret:
      "Setzen Sie das HMAC-Geheimnis, das zusammen mit diesem Token angezeigt wurde, und starten Sie den Worker neu. Ist es nicht mehr vorhanden, erstellen Sie einen weiteren Agenten.",
    clock: "Stellen Sie die Uhr der Maschine des Agenten, zum Beispiel mit NTP.",
    upgrade: "Aktualisieren Sie das Paket des Agenten: Dieser Server spricht Version 2 des Protokolls.",
    proxy:
      "Prüfen Sie den Reverse Proxy: Er muss den WebSocket sofort weiterleiten und eine ruhende Verbindung länger als 60 Sekunden offen halten.",
    repeated:
      "Ein Frame kam zweimal an. Suchen Sie nach einem Proxy, der Anfragen wiederholt; der Agent verbindet sich selbst erneut.",
    size:
      "Der Agent sendet zu viel auf einmal. Kürzen Sie Argumente und Ergebnisse der Tasks, oder aktualisieren Sie den Agenten.",
    other: "Aktualisieren Sie das Paket des Agenten. Wird er wieder abgewiesen, melden Sie den obigen Satz."
  },
  deleteQuestion: (name: string) => `Agenten ${name} löschen?`,
  deleteHint:
    "Sein Token wird widerrufen, seine Verbindungen werden geschlossen und offene Befehle abgebrochen. Seine Tasks bleiben."
}
