import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"

export const inbox: Texts["inbox"] = {
  title: common.inbox,
  titleWith: (count: Count) => `Posteingang, ${count.text} ungelesen`,
  unread: "ungelesen",
  onlyUnread: "Nur ungelesene",
  markRead: "Als gelesen markieren",
  markOneRead: (title: string) => `Als gelesen markieren: ${title}`,
  markAllRead: "Alle als gelesen markieren",
  none: "Der Posteingang ist leer",
  noneHint: "Hier erscheinen Alarme Ihrer Projekte und Abonnements, wenn sie beginnen, sich ändern und behoben sind.",
  noneUnread: "Nichts ungelesen"
}
