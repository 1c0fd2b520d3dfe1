import type { Texts } from "../en.ts"
import type { Count } from "../plural.ts"
import { common } from "./common.ts"
import { plural } from "./plural.ts"

export const inbox: Texts["inbox"] = {
  title: common.inbox,
  titleWith: (count: Count) => plural(count, "Boîte de réception, # non lue", "Boîte de réception, # non lues"),
  unread: "non lue",
  onlyUnread: "Non lues seulement",
  markRead: "Marquer comme lue",
  markOneRead: (title: string) => `Marquer comme lue\u00a0: ${title}`,
  markAllRead: "Tout marquer comme lu",
  none: "La boîte de réception est vide",
  noneHint:
    "Les alertes de vos projets et de vos abonnements y apparaissent à leur début, à leurs changements et à leur rétablissement.",
  noneUnread: "Rien à lire"
}
