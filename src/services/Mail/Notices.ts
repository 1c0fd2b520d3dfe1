import { Effect } from "effect"
import type { Source } from "../../domain/Actor.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Mail } from "../Mail.ts"
import { publicUrlOf } from "../PublicUrl.ts"
import { Settings } from "../Settings.ts"
import { noticeLetter, type Noticed } from "./Letters.ts"

/** A notice that could not be sent for a day is of no use. */
const noticeSeconds = 86_400

/** Tells people by mail what was done to their way in, so that who did not do it learns of it. Silent without mail. */
export class Notices extends Effect.Service<Notices>()("svc/Notices", {
  effect: Effect.gen(function*() {
    const mail = yield* Mail
    const settings = yield* Settings

    /**
     * In the caller's transaction: what is undone is not told. `source_ip` of the user themselves, or null; `workingKeys`:
     * how many API keys a new password left as they were.
     */
    const tell = Effect.fn("Notices.tell")(function*(
      what: Noticed,
      to: string,
      { source_ip }: Pick<Source, "source_ip">,
      workingKeys = 0
    ) {
      if (!mail.isOn) return
      const at = yield* Timestamp.now
      const letter = noticeLetter({ what, to, source_ip, workingKeys, url: publicUrlOf(settings), at })
      yield* mail.enqueue(letter, Timestamp.addSeconds(at, noticeSeconds))
    })

    return { tell } as const
  })
}) {
  static readonly layer = this.Default
}
