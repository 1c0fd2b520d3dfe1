import type { Texts } from "../en.ts"

export const inbox: Texts["inbox"] = {
  title: "Posteingang",
  titleWith: (count: string) => `Posteingang, ${count} ungelesen`,
  unread: "ungelesen",
  onlyUnread: "Nur ungelesene",
  markRead: "Als gelesen markieren",
  markOneRead: (title: string) => `Als gelesen markieren: ${title}`,
  markAllRead: "Alle als gelesen markieren",
  none: "Der Posteingang ist leer",
  noneHint: "Hier erscheinen Alarme Ihrer Projekte und Abonnements, wenn sie beginnen, sich ändern und behoben sind.",
  noneUnread: "Alles ist gelesen"
}
