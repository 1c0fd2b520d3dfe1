import { Effect } from "effect"
import { Inbox } from "../../../services/kernel/Inbox.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithRows } from "../../NextPageHeaders.ts"

export const layer = implementGroup("inbox", function*(handlers) {
  const inbox = yield* Inbox
  return handlers
    .handle("list", ({ urlParams }) => Effect.flatMap(inbox.list(urlParams), respondWithRows))
    .handle("countUnread", () => inbox.countUnread())
    .handle("read", ({ path }) => inbox.read(path.notification_id))
    .handle("readAll", () => inbox.readAll())
})
