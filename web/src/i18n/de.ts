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
import { common } from "./de/common.ts"
import { deadLetters } from "./de/deadLetters.ts"
import { deliveries } from "./de/deliveries.ts"
import { differences } from "./de/differences.ts"
import { exportJobs } from "./de/exportJobs.ts"
import { failures } from "./de/failures.ts"
import { home } from "./de/home.ts"
import { inbox } from "./de/inbox.ts"
import { keys } from "./de/keys.ts"
import { maintenance } from "./de/maintenance.ts"
import { names } from "./de/names.ts"
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
  common,
  productName: "svc",
  loading: common.loading,
  skipToContent: "Zum Inhalt springen",
  skipToList: "Zur Liste springen",
  close: "Schließen",
  cancel: common.cancel,
  keepRunning: "Weiterlaufen lassen",
  copy: common.copy,
  copied: "Kopiert",
  none: "keine",
  older: "Mehr laden",
  forms: {
    typeToConfirm: (phrase: string) => `Geben Sie zur Bestätigung ${phrase} ein`,
    save: "Speichern",
    create: common.create,
    edit: common.edit,
    delete: common.delete,
    optional: "optional",
    awaitsApproval: "Wartet auf Freigabe",
    done: "Fertig",
    saved: "Gespeichert.",
    durationProblem: "Geben Sie eine Dauer ein, etwa 15 min oder 4 h.",
    durationRange: (min: string, max: string) => `Geben Sie eine Dauer von ${min} bis ${max} ein.`,
    requested: "Wartet auf Freigabe. Noch wurde nichts geändert."
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
    noProject: "Projekt nicht gefunden",
    noProjectHint: "Es wurde vielleicht umbenannt oder gelöscht, oder Sie sind kein Mitglied.",
    toHome: "Zu allen Projekten"
  },
  connection: {
    lost: "Keine Verbindung, ein neuer Versuch läuft",
    upgraded: "Der Server wurde aktualisiert",
    reloads: "Die Seite wird gleich neu geladen.",
    saveFirst: "Speichern Sie Ihre Änderungen und laden Sie die Seite dann neu.",
    reload: "Seite neu laden"
  },
  unsaved: {
    title: "Ungespeicherte Änderungen verwerfen?",
    keep: "Weiter bearbeiten",
    discard: "Änderungen verwerfen"
  },
  wall: {
    open: "Wandansicht",
    leave: "Wandansicht verlassen",
    signedOut: "Abgemeldet. Melden Sie sich an, um die Wandansicht zu zeigen.",
    lost: "Keine Verbindung zum Server",
    lostSince: (time: string) => `Keine Verbindung zum Server. Stand: ${time}.`
  },
  live: {
    live: "Live",
    connecting: "Verbindet neu",
    paused: common.paused,
    pause: "Aktualisierung pausieren",
    resume: "Aktualisierung fortsetzen",
    trueAt: common.asOf
  },
  session: {
    title: "Anmelden",
    email: common.email,
    password: common.password,
    remember: "Auf diesem Gerät angemeldet bleiben",
    submit: "Anmelden",
    forgot: "Passwort vergessen?",
    provider: "Mit Ihrem Anbieter anmelden",
    codeTitle: common.secondFactor,
    codeHint: "Der Code Ihrer Authenticator-App oder einer Ihrer Wiederherstellungscodes.",
    code: "Code",
    trust: "Auf diesem Gerät nicht mehr fragen",
    verify: common.continue,
    signOut: "Abmelden",
    ended: "Ihre Sitzung ist beendet. Melden Sie sich an, um dort weiterzumachen, wo Sie waren."
  },
  settings: {
    theme: "Design",
    themes: { system: common.system, light: "Hell", dark: "Dunkel" },
    language: "Sprache",
    zone: "Zeitangaben",
    zones: { browser: "In der Zeitzone dieses Browsers", utc: "In UTC", project: "In der Zeitzone des Projekts" },
    account: "Konto und Einstellungen"
  },
  nav: {
    label: "Seiten des Projekts",
    allProjects: common.allProjects,
    overview: common.overview,
    tasks: common.tasks,
    commands: common.commands,
    queues: common.queues,
    workers: common.workers,
    agents: common.agents,
    switchProject: "Projekt wechseln",
    failures: common.failures,
    schedules: common.schedules,
    notifications: common.notifications,
    automation: common.automation,
    approvals: common.approvals,
    activity: common.activity,
    audit: common.auditLog,
    people: common.people,
    settings: common.settings,
    inbox: common.inbox,
    system: common.system,
    users: common.users,
    account: common.account,
    more: "Weitere Seiten"
  },
  states: {
    pending: "Ausstehend",
    received: "Empfangen",
    started: "Gestartet",
    success: common.succeededTask,
    failure: common.failedTask,
    retry: "Wiederholung",
    revoked: common.revoked,
    rejected: common.rejected,
    unknown: common.unknown
  },
  home,
  attention,
  names,
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
  differences,
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
