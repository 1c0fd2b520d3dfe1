import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const account: Texts["account"] = {
  title: common.account,
  tabs: { profile: "Profil", security: "Sicherheit", sessions: "Sitzungen", keys: common.apiKeys },
  profile: "Profil",
  displayName: "Anzeigename",
  displayNameHint: "Ist er leer, sehen andere die E-Mail-Adresse.",
  firstName: "Vorname",
  lastName: "Nachname",
  zone: common.timeZone,
  zoneHint:
    "Gilt für E-Mails und Zusammenfassungen an Sie. Die Zeitangaben dieser Oberfläche folgen der Auswahl im Kontomenü.",
  access: "Zugriff",
  everywhere: common.allProjects,
  globalAdmin: "Globaler Administrator",
  password: common.password,
  changePassword: "Passwort ändern",
  passwordHint:
    "Ein neues Passwort beendet alle anderen Sitzungen und das Vertrauen in Browser. API-Schlüssel funktionieren weiter; widerrufen Sie solche, die Sie nicht kennen.",
  currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort",
  passwordAgain: "Neues Passwort wiederholen",
  passwordRule: (length: string) =>
    `Mindestens ${length} Zeichen. Häufige Passwörter und Wörter über Sie werden abgelehnt.`,
  passwordsDiffer: "Die neuen Passwörter stimmen nicht überein.",
  passwordChanged: "Alle anderen Sitzungen sind beendet, das Vertrauen in Browser ist aufgehoben.",
  providers: "Anmeldung über einen Anbieter",
  provider: "den Anbieter",
  link: (provider: string) => `Mit ${provider} verknüpfen`,
  noProviders: "Kein Konto des Anbieters ist verknüpft. Ein verknüpftes Konto meldet sich hier ohne Passwort an.",
  lastUsed: "zuletzt verwendet",
  unlink: "Verknüpfung lösen",
  unlinkTitle: (name: string) => `Verknüpfung mit ${name} lösen`,
  unlinkHint:
    "Dieses Konto des Anbieters kann sich hier nicht mehr anmelden. Sitzungen, die es geöffnet hat, bleiben bestehen.",
  sessionsHint: "Die Browser, in denen Sie angemeldet sind. Nach dem Beenden ist dort eine neue Anmeldung nötig.",
  browser: "Browser",
  unknownBrowser: "Unbekannter Browser",
  thisSession: "diese Sitzung",
  address: common.ipAddress,
  signedIn: "Angemeldet",
  lastSeen: "Zuletzt gesehen",
  end: "Beenden",
  endOf: (address: string) => `Sitzung von ${address} beenden`,
  endOthers: "Alle anderen beenden",
  endOthersTitle: (count: Count) => plural(count, "# andere Sitzung beenden", "# andere Sitzungen beenden")
}
