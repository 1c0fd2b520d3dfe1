import { account } from "./de/account.ts"
import { activity } from "./de/activity.ts"
import { agents } from "./de/agents.ts"
import { alerts } from "./de/alerts.ts"
import { apiKeys } from "./de/apiKeys.ts"
import { approvals } from "./de/approvals.ts"
import { attention } from "./de/attention.ts"
import { audit } from "./de/audit.ts"
import { automation } from "./de/automation.ts"
import { bulkJobs } from "./de/bulkJobs.ts"
import { bulkRetries } from "./de/bulkRetries.ts"
import { channels } from "./de/channels.ts"
import { commands } from "./de/commands.ts"
import { deadLetters } from "./de/deadLetters.ts"
import { deliveries } from "./de/deliveries.ts"
import { exportJobs } from "./de/exportJobs.ts"
import { failures } from "./de/failures.ts"
import { home } from "./de/home.ts"
import { inbox } from "./de/inbox.ts"
import { keys } from "./de/keys.ts"
import { maintenance } from "./de/maintenance.ts"
import { notifications } from "./de/notifications.ts"
import { oldRows } from "./de/oldRows.ts"
import { overview } from "./de/overview.ts"
import { ownNotifications } from "./de/ownNotifications.ts"
import { palette } from "./de/palette.ts"
import { people } from "./de/people.ts"
import { persons } from "./de/persons.ts"
import { projectSettings } from "./de/projectSettings.ts"
import { queues } from "./de/queues.ts"
import { schedules } from "./de/schedules.ts"
import { secondFactor } from "./de/secondFactor.ts"
import { subscriptions } from "./de/subscriptions.ts"
import { system } from "./de/system.ts"
import { task } from "./de/task.ts"
import { tasks } from "./de/tasks.ts"
import { users } from "./de/users.ts"
import { workers } from "./de/workers.ts"
import type { Texts } from "./en.ts"

export const de: Texts = {
  productName: "svc",
  loading: "Wird geladen",
  skipToContent: "Zum Inhalt springen",
  close: "Schließen",
  cancel: "Abbrechen",
  copy: "Kopieren",
  copied: "Kopiert",
  none: "keine",
  older: "Mehr laden",
  forms: {
    typeToConfirm: (phrase: string) => `Geben Sie zur Bestätigung ${phrase} ein`,
    save: "Speichern",
    create: "Erstellen",
    edit: "Bearbeiten",
    delete: "Löschen",
    optional: "optional",
    awaitsApproval: "Wartet auf Freigabe",
    done: "Fertig",
    saved: "Gespeichert."
  },
  stepUp: {
    title: "Bestätigen Sie, dass Sie es sind",
    hint: "Geben Sie Ihr Passwort oder einen Code erneut ein. Die letzte Eingabe liegt mehr als einige Minuten zurück."
  },
  error: {
    title: "Diese Seite konnte nicht geladen werden",
    actionTitle: "Aktion fehlgeschlagen",
    unreachable: "Der Server ist nicht erreichbar. Die Daten können veraltet sein.",
    noProblem: (status: string) =>
      `Ein anderes Programm hat geantwortet, mit Status ${status}. Prüfen Sie den Reverse-Proxy vor dem Server.`,
    requestId: "Request-ID",
    retry: "Erneut versuchen",
    notFound: "Seite nicht gefunden",
    notFoundHint: "Die Adresse ist möglicherweise veraltet oder falsch eingegeben.",
    toHome: "Zu allen Projekten"
  },
  live: {
    live: "Live",
    connecting: "Verbindet neu",
    paused: "Angehalten",
    pause: "Aktualisierung anhalten",
    resume: "Aktualisierung fortsetzen",
    trueAt: (time: string) => `Stand ${time}`
  },
  session: {
    title: "Anmelden",
    email: "E-Mail-Adresse",
    password: "Passwort",
    remember: "Auf diesem Gerät angemeldet bleiben",
    submit: "Anmelden",
    forgot: "Passwort vergessen?",
    provider: "Mit Ihrem Anbieter anmelden",
    codeTitle: "Zweiter Faktor",
    codeHint: "Der Code Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.",
    code: "Code",
    trust: "Auf diesem Gerät nicht mehr fragen",
    verify: "Weiter",
    signOut: "Abmelden",
    ended: "Ihre Sitzung ist beendet. Melden Sie sich an, um dort weiterzumachen, wo Sie waren."
  },
  settings: {
    theme: "Design",
    themes: { system: "System", light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    zone: "Zeitangaben",
    zones: { browser: "In der Zeitzone dieses Browsers", utc: "In UTC", project: "In der Zeitzone des Projekts" },
    account: "Konto und Einstellungen"
  },
  nav: {
    label: "Seiten des Projekts",
    allProjects: "Alle Projekte",
    overview: "Übersicht",
    tasks: "Tasks",
    commands: "Befehle",
    queues: "Queues",
    workers: "Worker",
    agents: "Agenten",
    switchProject: "Projekt wechseln",
    failures: "Fehler",
    schedules: "Zeitpläne",
    notifications: "Benachrichtigungen",
    automation: "Automatisierung",
    approvals: "Freigaben",
    activity: "Aktivität",
    audit: "Audit-Log",
    people: "Personen",
    settings: "Einstellungen",
    inbox: "Posteingang",
    system: "System",
    users: "Benutzer",
    account: "Konto",
    more: "Weitere Seiten"
  },
  states: {
    pending: "Ausstehend",
    received: "Empfangen",
    started: "Gestartet",
    success: "Erfolgreich",
    failure: "Fehlgeschlagen",
    retry: "Wiederholung",
    revoked: "Widerrufen",
    rejected: "Abgelehnt",
    unknown: "Unbekannt"
  },
  home,
  attention,
  overview,
  account,
  apiKeys,
  secondFactor,
  projectSettings,
  users,
  system,
  people,
  tasks,
  task,
  failures,
  deadLetters,
  commands,
  bulkJobs,
  bulkRetries,
  exportJobs,
  queues,
  schedules,
  workers,
  agents,
  notifications,
  alerts,
  activity,
  audit,
  automation,
  approvals,
  persons,
  oldRows,
  keys,
  palette,
  channels,
  subscriptions,
  deliveries,
  maintenance,
  inbox,
  ownNotifications,
  notices: {
    label: "Meldungen",
    retry: (what: string) => `Wiederholen: ${what}`,
    cancel: (what: string) => `Abbrechen: ${what}`,
    refused: "Abgelehnt",
    noAgent: "Im Projekt gibt es keinen Agenten für diese Engine; der Befehl kann daher nicht ausgeführt werden."
  }
}
