import type { Texts } from "../en.ts"

export const account: Texts["account"] = {
  title: "Konto",
  tabs: { profile: "Profil", security: "Sicherheit", sessions: "Sitzungen", keys: "API-Schlüssel" },
  profile: "Profil",
  displayName: "Name, den andere sehen",
  displayNameHint: "Ohne ihn sehen andere die E-Mail-Adresse.",
  firstName: "Vorname",
  lastName: "Nachname",
  zone: "Zeitzone",
  zoneHint:
    "E-Mails und Zusammenfassungen an Sie verwenden sie. Die Zeitangaben dieser Oberfläche folgen der Auswahl im Kontomenü.",
  access: "Zugriff",
  everywhere: "Alle Projekte",
  globalAdmin: "Globaler Administrator",
  password: "Passwort",
  changePassword: "Passwort ändern",
  passwordHint:
    "Ein neues Passwort beendet alle anderen Sitzungen und das Vertrauen in Browser. API-Schlüssel funktionieren weiter; widerrufen Sie solche, die Sie nicht kennen.",
  currentPassword: "Aktuelles Passwort",
  newPassword: "Neues Passwort",
  passwordAgain: "Neues Passwort wiederholen",
  passwordRule: (length: string) =>
    `Mindestens ${length} Zeichen. Häufige Passwörter und Wörter über Sie werden abgelehnt.`,
  passwordsDiffer: "Die beiden neuen Passwörter unterscheiden sich.",
  passwordChanged: "Andere Sitzungen und vertrauenswürdige Browser sind beendet.",
  providers: "Anmeldung über einen Anbieter",
  provider: "den Anbieter",
  link: (provider: string) => `Mit ${provider} verknüpfen`,
  noProviders: "Kein Konto des Anbieters ist verknüpft. Ein verknüpftes Konto meldet sich hier ohne Passwort an.",
  lastUsed: "zuletzt verwendet",
  unlink: "Verknüpfung lösen",
  unlinkTitle: (name: string) => `Verknüpfung mit ${name} lösen`,
  unlinkHint:
    "Dieses Konto des Anbieters kann sich hier nicht mehr anmelden. Sitzungen, die es geöffnet hat, bleiben bestehen.",
  sessionsHint:
    "Jede Zeile ist ein Browser, in dem Sie angemeldet sind. Nach dem Beenden ist dort eine neue Anmeldung nötig.",
  browser: "Browser",
  unknownBrowser: "Unbekannter Browser",
  thisSession: "diese",
  address: "Adresse",
  signedIn: "Angemeldet",
  lastSeen: "Zuletzt gesehen",
  end: "Beenden",
  endOf: (address: string) => `Sitzung von ${address} beenden`,
  endOthers: "Alle anderen beenden",
  endOthersTitle: (count: string) => `Die anderen Sitzungen beenden (${count})`
}
