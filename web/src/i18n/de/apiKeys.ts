import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const apiKeys: Texts["apiKeys"] = {
  title: common.apiKeys,
  hint:
    "Mit Schlüsseln rufen Programme die API in Ihrem Namen auf. Ein Schlüssel darf nie mehr als Sie, und nicht mehr, als seine Scopes erlauben.",
  none: "Keine API-Schlüssel",
  noneHint: "Erstellen Sie einen für ein Skript oder für svc auf einem anderen Rechner.",
  create: "API-Schlüssel erstellen",
  name: common.name,
  nameHint: "Das Programm, das den Schlüssel verwendet.",
  project: common.project,
  projectHint: "Ein Schlüssel für ein Projekt sieht kein anderes.",
  allProjects: common.allProjects,
  lifetime: "Läuft ab in",
  forEver: "Nie",
  scopes: "Scopes",
  scopesHint: "Geben Sie einem Schlüssel nur, was sein Programm braucht.",
  noScopes: "keine Scopes",
  presets: {
    ci_deploys: "CI: nur Deploys",
    read_only: "Nur lesen",
    operator: common.operator,
    agent_provisioning: "Agenten einrichten",
    metrics: "Dashboards und Metriken"
  },
  chooseNone: "Keine",
  addresses: "IP-Adressen",
  addressesHint:
    "Netze wie 192.0.2.0/24, eines pro Zeile. Von anderen Adressen wird der Schlüssel abgelehnt. Leer: er funktioniert von überall.",
  addressesOf: (name: string) => `IP-Adressen von ${name}`,
  statuses: { active: common.active, revoked: common.revoked, expired: common.expired },
  lastUsed: "Zuletzt verwendet",
  never: common.never,
  revokeTitle: (name: string) => `${name} widerrufen`,
  revokeHint:
    "Programme mit diesem Schlüssel werden sofort abgelehnt. Ein widerrufener Schlüssel lässt sich nicht wiederherstellen.",
  createdTitle: (name: string) => `${name} erstellt`,
  tokenHint: "Das Token wird nur einmal angezeigt. Der Server speichert nur seinen Hash.",
  token: "Token",
  tryIt: "Ausprobieren",
  resources: {
    auth: "Eigenes Konto",
    home: "Startseite",
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
    admin: "Alles"
  },
  scopeHints: {
    "auth:read": "Ihr Konto, die Passwortregeln, Ihre API-Schlüssel und die Scopes sehen.",
    "auth:write": "Ihre API-Schlüssel widerrufen, auch diesen.",
    "home:read": "Die Zusammenfassung aller Projekte, letzte Fehler und den Zustand des Servers sehen.",
    "projects:read": "Projekte mit ihren Einstellungen und wartende Freigaben sehen.",
    "projects:write":
      "Einstellungen ändern, über Freigaben entscheiden und Projekte mit allen Tasks löschen. Reicht weit.",
    "tasks:read": "Tasks mit Argumenten und Ergebnissen, Fehler, Trends und Live-Ereignisse sehen.",
    "tasks:write": "Ansichten speichern sowie Fehlergruppen zuweisen, stummschalten und als gelöst markieren.",
    "tasks:delete": "Viele Tasks auf einmal löschen.",
    "workers:read": "Worker und Hinweise zu ihrer Konfiguration sehen.",
    "queues:read": "Queues und ihre Tiefe sehen.",
    "agents:read": "Agenten und ihre Verbindungen sehen.",
    "agents:write": "Agenten erstellen und löschen, die Befehle erhalten und Tasks melden. Reicht weit.",
    "commands:read": "Befehle und ihre Ergebnisse sehen.",
    "commands:write":
      "Tasks mit beliebigen Argumenten wiederholen, abbrechen und ausführen, Queues leeren, Worker neu starten. Reicht weit.",
    "schedules:read": "Zeitpläne mit ihren Auslösungen sehen.",
    "schedules:write": "Zeitpläne erstellen, ändern, auslösen und löschen.",
    "audit:read": "Das Audit-Log und die Aktivität sehen.",
    "audit:write": "Exporte des Audit-Logs starten.",
    "memberships:read": "Mitglieder und Einladungen sehen.",
    "memberships:write": "Benutzer einladen sowie Mitglieder ändern und entfernen.",
    "notifications:read": "Kanäle, Alarme, Zustellungen und Ihren Posteingang sehen.",
    "notifications:write":
      "Kanäle und Abonnements ändern, Alarme bestätigen und Ihren Posteingang als gelesen markieren.",
    "automation:read": "Automatisierungsregeln mit ihren Ausführungen sehen.",
    "automation:write": "Automatisierungsregeln erstellen, ändern und löschen.",
    "deploys:read":
      "Sehen, wann Versionen bereitgestellt wurden, und die anderen Marken der Diagramme: Befehle, Regeln, verpasste Ausführungen und Wartungsfenster.",
    "deploys:write": "Deployments markieren und Markierungen löschen. Mehr braucht ein Deployment-Job nicht.",
    "users:read": "Alle Konten sehen. Nur globale Administratoren können das vergeben.",
    "users:write": "Konten erstellen, ändern und löschen. Nur globale Administratoren können das vergeben.",
    "admin:*":
      "Alles, was Sie dürfen, auch was spätere Versionen hinzufügen. Nur globale Administratoren können das vergeben."
  }
}
