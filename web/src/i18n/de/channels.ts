import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const channels: Texts["channels"] = {
  title: common.channels,
  create: "Neuer Kanal",
  createTitle: "Neuer Kanal",
  editTitle: common.editTitle,
  name: common.name,
  type: "Art",
  types: {
    webhook: common.webhook,
    email: "E-Mail",
    slack: "Slack",
    telegram: "Telegram",
    pagerduty: "PagerDuty",
    discord: "Discord",
    teams: "Microsoft Teams"
  },
  typeHints: {
    webhook:
      "Ein POST mit JSON an Ihren Server. Jede 2xx-Antwort nimmt die Nachricht an; nach 410 wird der Kanal deaktiviert.",
    email: "E-Mails über Ihren Mailserver. Alle E-Mails eines Alarms bilden einen Thread.",
    slack: "Ein Incoming Webhook von Slack oder eines kompatiblen Servers wie Mattermost.",
    telegram: "Ihr Bot, der in einen Chat schreibt.",
    pagerduty:
      "Eine Integration der Events API v2. Ein Test öffnet einen Incident, der von Hand geschlossen werden muss.",
    discord: "Der Webhook eines Discord-Kanals.",
    teams: "Die URL eines Workflows, der bei einer Webhook-Anfrage in einen Teams-Kanal schreibt."
  },
  fields: {
    url: "URL",
    hmac_secret: "Signaturschlüssel",
    headers: "Header",
    smtp_host: "Mailserver",
    smtp_port: "Port",
    smtp_tls: "Verbindung verschlüsseln (TLS)",
    smtp_user: "Benutzername",
    smtp_pass: common.password,
    to_addrs: common.recipients,
    from_addr: "Absender",
    webhook_url: "Webhook-URL",
    bot_token: "Token des Bots",
    chat_id: "Chat",
    integration_key: "Integrationsschlüssel",
    severity_default: common.severity,
    severity_map: "Schweregrad je Auslöser"
  },
  fieldHints: {
    url: "https, ohne Benutzernamen.",
    hmac_secret:
      "Damit wird jede Anfrage signiert. Ein Wert mit whsec_ am Anfang ist ein Schlüssel nach Standard Webhooks.",
    headers: "Einer pro Zeile, etwa X-Team: shop. Höchstens 20.",
    smtp_port: "465 ist TLS ab dem ersten Byte; die anderen beginnen mit STARTTLS.",
    smtp_tls: "Nur auf Port 25 verzichtbar. Dann ist nichts verschlüsselt, auch das Passwort nicht.",
    to_addrs: "Eine Adresse pro Zeile, höchstens 50.",
    from_addr: "Ohne Angabe ist der Benutzername der Absender.",
    webhook_url: "Jeder, der die URL kennt, kann senden; sie wird daher geheim gehalten.",
    chat_id: "Eine Zahl, bei Gruppen negativ, oder ein @Name.",
    integration_key: "32 Buchstaben und Ziffern.",
    severity_map: "Eine Zeile je Auslöser, etwa task.failed: critical. Hat Vorrang vor dem Schweregrad oben."
  },
  ownSeverity: "Der des Auslösers",
  kept: "bleibt erhalten",
  keptHint: "Leer lassen, um den gespeicherten Wert zu behalten.",
  remove: "Gespeicherten Wert entfernen",
  activeField: "Nachrichten über diesen Kanal senden",
  testForm: "Diese Werte testen",
  testFormHint: "Sendet eine Testnachricht. Nichts wird gespeichert.",
  testChangeHint:
    "Sendet eine Testnachricht mit den Angaben dieses Formulars, ohne die leer gelassenen Geheimnisse. Um mit ihnen zu testen, speichern Sie und wählen Sie in der Liste Testen.",
  testTitle: (name: string) => `Test von ${name}`,
  testing: "Eine Testnachricht wurde gesendet. Die Antwort wird höchstens 30 Sekunden lang abgewartet.",
  accepted: "Der Empfänger hat die Nachricht angenommen.",
  refused: "Die Nachricht wurde nicht angenommen.",
  status: common.statusCode,
  noStatus: "Kein HTTP-Status",
  response: "Antwort des Empfängers",
  again: "Erneut testen",
  states: { active: "Aktiv", off: "Aus", disabled: "Von svc deaktiviert" },
  unverified: "Seit der letzten Änderung nicht getestet",
  disabledBecause: (reason: string) => `svc hat den Kanal deaktiviert: ${reason}.`,
  disabledAdvice:
    "Beheben Sie die genannte Ursache, testen Sie den Kanal und aktivieren Sie ihn dann. Das Aktivieren setzt die Fehlerzählung zurück.",
  actions: {
    test: "Testen",
    edit: common.edit,
    enable: common.enable,
    disable: common.turnOff,
    delete: common.delete
  },
  actionOn: common.actionOn,
  deleteTitle: (name: string) => `Kanal ${name} löschen`,
  deleteHint:
    "Abonnements verlieren diesen Kanal und behalten ihre anderen. Konfiguration und Geheimnisse werden gelöscht und lassen sich nicht wiederherstellen. Das Protokoll der Zustellungen bleibt.",
  none: "Noch keine Kanäle",
  noneHint: "Erstellen und testen Sie einen Kanal. Ein Standard-Abonnement legt dann fest, was darüber gesendet wird.",
  noneOwnHint:
    "Erstellen und testen Sie einen eigenen Kanal. Ein Abonnement legt dann fest, was darüber gesendet wird.",
  copyOwn: "Eigenen Kanal kopieren",
  copyOwnHint: "Die Kopie enthält die Geheimnisse des Originals. Spätere Änderungen am Original ändern sie nicht.",
  copyFromProject: "Kanal eines Projekts kopieren",
  projectHasNone: "Dieses Projekt hat keine Kanäle.",
  source: common.channel,
  sourceProject: common.project,
  copyName: "Name der Kopie",
  copy: common.copy
}
