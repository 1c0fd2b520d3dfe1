import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const people: Texts["people"] = {
  title: common.people,
  members: common.members,
  person: "Mitglied",
  role: "Rolle",
  since: "Mitglied seit",
  actions: common.actions,
  you: "Sie",
  noMembers: "Noch keine Mitglieder",
  noMembersHint: "Laden Sie jemanden ein. Globale Administratoren sehen das Projekt auch ohne Mitgliedschaft.",
  roles: { viewer: "Betrachter", auditor: "Prüfer", operator: common.operator, admin: "Administrator" },
  roleHints: {
    viewer: "Sieht alles im Projekt und speichert Ansichten. Kann nur eigene Alarme bestätigen.",
    auditor: "Alles, was ein Betrachter kann, dazu das Audit-Log und dessen Exporte.",
    operator:
      "Alles, was ein Betrachter kann. Wiederholt und bricht außerdem Tasks ab, führt Befehle aus, ändert Zeitpläne und Automatisierungsregeln, bestätigt Alarme des Projekts und sieht Freigaben.",
    admin:
      "Alles, was Operator und Prüfer können, dazu Personen, Agenten, Benachrichtigungen und Einstellungen. Entscheidet über Freigaben und löscht Tasks."
  },
  rolesTitle: "Was jede Rolle kann",
  changeRole: "Rolle ändern",
  changeRoleOf: (name: string) => `Rolle von ${name} ändern`,
  roleAppliesAtOnce: "Die neue Rolle gilt ab der nächsten Anfrage.",
  remove: "Entfernen",
  removeTitle: (name: string) => `${name} aus dem Projekt entfernen`,
  removeHint:
    "Das Mitglied verliert sofort den Zugriff auf dieses Projekt. Sein Konto und seine anderen Projekte bleiben bestehen.",
  removeSelfHint:
    "Das sind Sie. Sie verlieren sofort den Zugriff auf dieses Projekt, und nur ein anderer Administrator kann Sie wieder aufnehmen.",
  invite: common.invite,
  inviteTitle: "Jemanden einladen",
  email: common.email,
  emailHint: "Gibt es zu dieser Adresse ein Konto, meldet man sich zum Annehmen an. Sonst legt der Link das Konto an.",
  validFor: "Link läuft ab in",
  days: (count: Count) => plural(count, "# Tag", "# Tagen"),
  invitations: common.invitations,
  noInvitations: "Keine Einladungen",
  noInvitationsHint:
    "Einladungen bleiben in dieser Liste, bis sie angenommen, widerrufen oder abgelaufen sind, und noch einige Zeit danach.",
  status: common.status,
  statuses: { pending: "Offen", accepted: "Angenommen", revoked: common.revoked, expired: common.expired },
  expires: common.expires,
  revoke: "Widerrufen",
  revokeOf: (email: string) => `Einladung von ${email} widerrufen`,
  invitedTitle: (email: string) => `${email} ist eingeladen`,
  mailSent: "Eine E-Mail mit diesem Link ist zum Versand vorgemerkt. Sie können den Link auch selbst senden.",
  mailNotSent: "Dieser Server versendet keine E-Mails. Senden Sie den Link selbst.",
  link: "Einladungslink",
  linkHint:
    "Der Link wird nur einmal angezeigt und funktioniert einmal. Eine spätere Einladung derselben Adresse macht ihn ungültig."
}
