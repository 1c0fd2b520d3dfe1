import { Effect, Layer } from "effect"
import type { RequestSource } from "../../../domain/kernel/Actor.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { DashboardPages } from "../DashboardPages.ts"
import { Mail } from "../Mail.ts"
import { publicUrlOf } from "../PublicUrl.ts"
import { Settings } from "../Settings.ts"
import { type NoticeKind, noticeMessage } from "./Templates.ts"

/** A notice is given up after a day. */
const noticeSeconds = Timestamp.secondsPerDay

/** Notifies users by mail of changes to their credentials, so that they detect a change by another person. Does nothing without mail. */
export class Notices extends Effect.Service<Notices>()("svc/Notices", {
  effect: Effect.gen(function*() {
    const mail = yield* Mail
    const pages = yield* DashboardPages
    const url = publicUrlOf(yield* Settings)

    /**
     * In the caller's transaction, so a change that is rolled back sends nothing. `source_ip`: the user's own, or null.
     * `workingKeys`: the number of API keys that still work after a new password.
     */
    const enqueue = Effect.fn("Notices.enqueue")(function*(
      kind: NoticeKind,
      to: string,
      { source_ip }: Pick<RequestSource, "source_ip">,
      workingKeys = 0
    ) {
      if (!mail.isEnabled) return
      const at = yield* Timestamp.now
      const message = noticeMessage({
        kind,
        to,
        source_ip,
        workingKeys,
        url,
        keysUrl: pages.urlOf("/account?tab=keys"),
        at
      })
      yield* mail.enqueue(message, Timestamp.addSeconds(at, noticeSeconds))
    })

    return { enqueue } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide([DashboardPages.layer, Mail.layer]))
}
