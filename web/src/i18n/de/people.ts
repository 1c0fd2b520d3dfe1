import type { Texts } from "../en.ts"

export const people: Texts["people"] = {
  title: "Personen",
  members: "Mitglieder",
  person: "Person",
  role: "Rolle",
  since: "Mitglied seit",
  actions: "Aktionen",
  you: "Sie",
  noMembers: "Noch keine Mitglieder",
  noMembersHint: "Laden Sie eine Person ein. Globale Administratoren sehen das Projekt auch ohne Mitgliedschaft.",
  roles: { viewer: "Betrachter", auditor: "Prüfer", operator: "Operator", admin: "Administrator" },
  roleHints: {
    viewer: "Sieht Tasks, Zeitpläne, Queues und Worker, speichert Ansichten und bestätigt Alarme. Ändert sonst nichts.",
    auditor: "Sieht, was ein Betrachter sieht, und das Audit-Log, und exportiert es.",
    operator:
      "Sieht, was ein Betrachter sieht. Wiederholt und bricht Tasks ab, führt Befehle aus und ändert Zeitpläne und Automatisierungsregeln.",
    admin: "Darf all das, verwaltet Personen, Agenten, Benachrichtigungen und Einstellungen und löscht Tasks."
  },
  rolesTitle: "Was jede Rolle darf",
  changeRole: "Rolle ändern",
  changeRoleOf: (name: string) => `Rolle von ${name} ändern`,
  roleAppliesAtOnce: "Die neue Rolle gilt ab der nächsten Anfrage.",
  remove: "Entfernen",
  removeTitle: (name: string) => `${name} aus dem Projekt entfernen`,
  removeHint:
    "Die Person verliert sofort den Zugriff auf dieses Projekt. Das Konto und seine anderen Projekte bleiben bestehen.",
  removeSelfHint:
    "Das sind Sie. Sie verlieren sofort den Zugriff auf dieses Projekt, und nur ein anderer Administrator kann Sie wieder aufnehmen.",
  invite: "Einladen",
  inviteTitle: "Eine Person einladen",
  email: "E-Mail-Adresse",
  emailHint: "Gibt es zu dieser Adresse ein Konto, meldet sich die Person zum Annehmen an; sonst legt der Link es an.",
  validFor: "Gültigkeit des Links",
  days: (count: string) => `${count} Tage`,
  invitations: "Einladungen",
  noInvitations: "Keine Einladungen",
  noInvitationsHint:
    "Eine Einladung bleibt in dieser Liste, bis sie angenommen, widerrufen oder abgelaufen ist, und noch einige Zeit danach.",
  status: "Status",
  statuses: { pending: "Offen", accepted: "Angenommen", revoked: "Widerrufen", expired: "Abgelaufen" },
  expires: "Läuft ab",
  revoke: "Widerrufen",
  revokeOf: (email: string) => `Einladung von ${email} widerrufen`,
  invitedTitle: (email: string) => `${email} ist eingeladen`,
  mailSent: "Eine E-Mail mit diesem Link ist zum Versand vorgemerkt. Sie können den Link auch selbst senden.",
  mailNotSent: "Dieser Brain-Server versendet keine E-Mails. Senden Sie den Link selbst.",
  link: "Einladungslink",
  linkHint:
    "Der Link wird nur jetzt angezeigt. Er funktioniert einmal. Eine spätere Einladung derselben Adresse macht ihn ungültig."
}
