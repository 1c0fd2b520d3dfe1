import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const subscriptions: Texts["subscriptions"] = {
  title: common.subscriptions,
  create: "Neues Abonnement",
  edit: "Abonnement bearbeiten",
  defaultsHint:
    "Die Standard-Abonnements des Projekts. Sie senden an seine Kanäle und in den Posteingang jedes Mitglieds.",
  ownHint: "Worüber Sie zusätzlich zu den Standards Ihrer Projekte benachrichtigt werden.",
  none: "Noch keine Abonnements",
  noneHint:
    "Erstellen Sie eines für fehlgeschlagene Tasks: 30 Sekunden nach dem ersten Fehler erhalten seine Kanäle eine Nachricht.",
  noChannels: "Es gibt noch keine Kanäle.",
  inactiveChannel: (name: string) => `${name} (nicht aktiv)`,
  hiddenChannels: "Nur Administratoren des Projekts sehen dessen Kanäle. Bereits gewählte bleiben erhalten.",
  hiddenCount: (count: Count) => plural(count, "# Kanal des Projekts", "# Kanäle des Projekts"),
  parts: {
    filters: common.filters,
    targets: common.recipients,
    grouping: "Zusammenfassung",
    sendHours: "Sendezeiten",
    escalation: "Eskalation"
  },
  filterHint: "Alle Filter müssen zutreffen. Ein leerer Filter trifft auf alles zu.",
  patternHint: "Etwa shop.*, in der Syntax von Pythons fnmatch.",
  secondPatternHint: "Beide Muster müssen zutreffen.",
  noPriority: "keine",
  noneMeansAll: "Keine Auswahl: alle",
  priorities: { low: common.low, normal: common.normal, high: common.high, critical: common.critical },
  fields: {
    preset: "Vorlage",
    trigger: common.trigger,
    project: common.project,
    task_name: common.taskName,
    task_name_pattern: "Zweites Muster",
    queue: common.queue,
    engine: common.engine,
    priority: "Prioritäten",
    rate_percent: "Anteil fehlgeschlagener Tasks (%)",
    window_seconds: "Innerhalb von",
    min_tasks: "Von mindestens (Tasks)",
    wait_seconds: "Erste Nachricht nach",
    interval_seconds: "Neuigkeiten senden alle",
    repeat_seconds: "Ohne Änderung erinnern alle",
    cooldown_seconds: "Keine Wiederholung innerhalb von",
    send_mode: "Nachrichten senden",
    start: "Von",
    end: "Bis",
    timezone: common.timeZone,
    days: "Beginn am",
    after_minutes: "Ohne Bestätigung seit"
  },
  inAppAll: "Posteingang jedes Mitglieds",
  inAppOwn: "Mein Posteingang",
  ownChannels: common.myChannels,
  projectChannels: "Kanäle des Projekts",
  isGrouped: "Vorkommen zu wenigen Nachrichten zusammenfassen",
  groupingHint: "Ohne dies ergibt jedes Vorkommen sofort eine Nachricht.",
  notifyRecovery: "Nach der Behebung eine Nachricht senden",
  noPreset: "Leeres Formular",
  presets: {
    critical: "Alles Kritische",
    lastRetry: "Keine Wiederholungen mehr",
    nightWatch: "Nachtwache",
    failureRate: "Viele Fehler auf einmal",
    agents: "Agenten offline",
    missedSchedules: "Verpasste Zeitpläne",
    brokenSchedules: "Ausgesetzte Zeitpläne"
  },
  sendModes: { always: "Jederzeit", only: "Nur in dieser Zeit", except: "Außer in dieser Zeit" },
  sendHint:
    "Nachrichten, die zu anderen Zeiten anfallen, warten bis zum Beginn des Sendens: eine je Alarm, und keine, wenn er bis dahin behoben ist.",
  alwaysCritical: "Kritische Nachrichten jederzeit senden",
  days: { mon: "Mo", tue: "Di", wed: "Mi", thu: "Do", fri: "Fr", sat: "Sa", sun: "So" },
  isEscalated: "Weitere Kanäle benachrichtigen, wenn der Alarm nicht bestätigt wird",
  escalationHint: "Sie erhalten eine Nachricht und die Meldung der Behebung.",
  states: { active: "Aktiv", muted: "Stumm, endet", off: "Aus" },
  inbox: "Posteingang",
  goesTo: (targets: string) => `An: ${targets}`,
  noTargets: "An keinen Kanal und keinen Posteingang: Alarme werden nur aufgezeichnet.",
  eachOccurrence: "Eine Nachricht je Vorkommen",
  sendHoursText: {
    only: (start: string, end: string, zone: string) => `Nur von ${start} bis ${end} gesendet (${zone})`,
    except: (start: string, end: string, zone: string) => `Nicht von ${start} bis ${end} gesendet (${zone})`
  },
  escalatesAfter: (duration: string) => `Eskaliert nach ${duration}`,
  rateText: (percent: string, duration: string, tasks: string) =>
    `${percent} in ${duration}, von mindestens ${tasks} Tasks`,
  allEvents: "Jedes Ereignis",
  lastFired: common.lastMessage,
  neverFired: "Noch keine Nachricht",
  actions: {
    edit: common.edit,
    mute: "Stummschalten",
    changeMute: "Stummschaltung ändern",
    enable: "Einschalten",
    disable: common.turnOff,
    delete: common.delete
  },
  muteTitle: "Abonnement stummschalten",
  muteHint: "Bis dahin wird nichts aufgezeichnet oder gesendet.",
  muteOther: "Bis zu diesem Zeitpunkt stummschalten",
  endMute: "Stummschaltung beenden",
  deleteTitle: (trigger: string) => `Abonnement „${trigger}“ löschen`,
  deleteHint: "Seine Alarme werden mitgelöscht, auch die offenen. Das Protokoll der Zustellungen bleibt."
}
