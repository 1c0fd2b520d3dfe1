import type { Texts } from "../en.ts"
import { common } from "./common.ts"

export const users: Texts["users"] = {
  hint:
    "Alle Konten dieses Servers. Was ein Konto in einem Projekt darf, wird auf der Seite „Personen“ des Projekts festgelegt.",
  none: "Keine Benutzer",
  create: "Benutzer erstellen",
  createHint:
    "Bei einer Einladung zu einem Projekt wählen Benutzer das Passwort selbst; hier legen Sie das erste fest.",
  active: "Aktiv",
  inactive: "Inaktiv",
  activeHint:
    "Ein inaktives Konto kann sich nicht anmelden. Seine Sitzungen enden sofort, und seine API-Schlüssel wirken nicht mehr.",
  adminHint: "Administrator jedes Projekts, der Benutzer und des Servers.",
  password: common.password,
  passwordHint: "Mindestens 12 Zeichen.",
  lastLogin: "Letzte Anmeldung",
  never: common.never,
  created: "Erstellt",
  edit: common.edit,
  setPassword: "Passwort setzen",
  passwordOf: (name: string) => `Passwort von ${name} setzen`,
  setPasswordHint: "Alle Sitzungen des Kontos enden. Der zweite Faktor und die API-Schlüssel bleiben bestehen.",
  delete: common.delete,
  deleteTitle: (name: string) => `${name} löschen`,
  deleteHint:
    "Das Konto, seine Sitzungen, API-Schlüssel, Mitgliedschaften und offenen Einladungen werden gelöscht. Die Aktionen des Benutzers bleiben im Audit-Log. Das lässt sich nicht rückgängig machen."
}
