import { Effect } from "effect"
import type { RequestSource } from "../../domain/Actor.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Mail } from "../Mail.ts"
import { publicUrlOf } from "../PublicUrl.ts"
import { Settings } from "../Settings.ts"
import { noticeMessage, type NoticeKind } from "./Templates.ts"

/** A notice that could not be sent for a day is of no use. */
const noticeSeconds = Timestamp.secondsPerDay

/** Tells people by mail what was done to their way in, so that who did not do it learns of it. Silent without mail. */
export class Notices extends Effect.Service<Notices>()("svc/Notices", {
  effect: Effect.gen(function*() {
    const mail = yield* Mail
    const settings = yield* Settings

    /**
     * In the caller's transaction: what is undone is not told. `source_ip` of the user themselves, or null; `workingKeys`:
     * how many API keys a new password left as they were.
     */
    const enqueue = Effect.fn("Notices.enqueue")(function*(
      kind: NoticeKind,
      to: string,
      { source_ip }: Pick<RequestSource, "source_ip">,
      workingKeys = 0
    ) {
      if (!mail.isEnabled) return
      const at = yield* Timestamp.now
      const message = noticeMessage({ kind, to, source_ip, workingKeys, url: publicUrlOf(settings), at })
      yield* mail.enqueue(message, Timestamp.addSeconds(at, noticeSeconds))
    })

    return { enqueue } as const
  })
}) {
  static readonly layer = this.Default
}
