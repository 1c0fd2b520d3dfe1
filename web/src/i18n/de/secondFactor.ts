import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const secondFactor: Texts["secondFactor"] = {
  title: common.secondFactor,
  setUp: "Zweiten Faktor einrichten",
  intro:
    "Ein Code einer Authenticator-App zusätzlich zum Passwort. Ein gestohlenes Passwort allein öffnet dann nichts. Sie benötigen eine App wie Aegis, Google Authenticator oder 1Password.",
  required: (deadline: string) =>
    `Ein zweiter Faktor ist vorgeschrieben. Richten Sie ihn bis ${deadline} ein; bis dahin funktioniert alles wie bisher.`,
  overdue: (deadline: string) =>
    `Ein zweiter Faktor war bis ${deadline} vorgeschrieben. Richten Sie ihn ein, um fortzufahren.`,
  isEnrolled: "Ein zweiter Faktor ist eingerichtet.",
  begin: "Beginnen",
  scan: "Scannen Sie den Code mit der App. Kann die App nicht scannen, geben Sie den Schlüssel ein.",
  qrCode: "QR-Code für die Authenticator-App",
  manualKey: "Schlüssel zum Eingeben",
  codeHint: "Die sechs Ziffern, die die App gerade anzeigt.",
  codes: "Wiederherstellungscodes",
  codesHint:
    "Geht die App verloren, können Sie sich mit jedem Code einmal anmelden. Bewahren Sie die Codes so auf, dass nur Sie sie lesen können. Sie werden nur einmal angezeigt.",
  download: common.download,
  copyAll: "Alle kopieren",
  continue: common.continue,
  back: "Nicht jetzt",
  since: "Eingerichtet",
  codesLeft: "Übrige Wiederherstellungscodes",
  fewCodes: "erstellen Sie neue",
  regenerate: "Neue Wiederherstellungscodes",
  regenerateHint: "Die bisherigen Codes werden sofort ungültig.",
  disable: "Zweiten Faktor entfernen",
  disableHint:
    "Danach genügt das Passwort zur Anmeldung. Wiederherstellungscodes und vertrauenswürdige Browser werden gelöscht. Ist ein zweiter Faktor vorgeschrieben, müssen Sie einen neuen einrichten.",
  devices: "Vertrauenswürdige Browser",
  noDevices:
    "In einem vertrauenswürdigen Browser verlangt die Anmeldung eine Zeit lang keinen Code. Vertrauen Sie nur Browsern, die nur Sie benutzen.",
  trustThis: "Diesem Browser vertrauen",
  thisBrowser: "dieser Browser",
  rename: "Umbenennen",
  renameDevice: "Browser umbenennen",
  deviceName: common.name,
  lastSeen: "zuletzt gesehen",
  expires: "läuft ab"
}
