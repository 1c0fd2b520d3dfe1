import * as argon2 from "argon2"
import { Effect, Redacted } from "effect"
import { Unavailable, ValidationFailed } from "../../domain/Errors.ts"
import { guessable } from "../../domain/GuessablePassword.ts"
import { commonPasswords } from "./CommonPasswords.ts"

/**
 * argon2id, 19 MiB, two passes, one lane (OWASP's least; the design asks for no less). A stored hash made with less
 * is made again at the next login.
 */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash takes 19 MiB and one of libuv's four threads for some 30 ms: the others stay free for files and DNS. */
const atOnce = 2

/**
 * How many may be at work or wait for their turn when one more comes; what is beyond is refused at once. Nobody who is
 * let in waits longer than a second or two, and what signed-in people do has room that a flood of logins cannot take.
 */
const room = { login: 32, signedIn: 64 } as const

const noRoom = new Unavailable({ detail: "Too many passwords are being checked just now. Try again in a few seconds." })

/** The hash of 32 forgotten bytes. Compared for addresses that nobody has, so that they take as long as the others. */
const dummy = "$argon2id$v=19$m=19456,p=1,t=2$kKKvDIW2jmxG0RhyXNhaLw$GZKD8SiHEccVV2DvDMDnLmc1hw6y1exmih+ZmSfy0Gw"

/** One password typed on two keyboards may come as different code points (NIST SP 800-63B, section 5.1.1.2). */
const typed = (password: Redacted.Redacted): string => Redacted.value(password).normalize("NFKC")

/** A password that somebody sets. */
export interface NewPassword {
  readonly password: Redacted.Redacted
  /** The field that it came in, for the message when it is refused. */
  readonly field: string
  /** What is known of the person it is for (`textsOf`). */
  readonly about: ReadonlyArray<string>
}

export class Passwords extends Effect.Service<Passwords>()("svc/Passwords", {
  effect: Effect.gen(function*() {
    const permits = yield* Effect.makeSemaphore(atOnce)
    const common = yield* commonPasswords
    let inside = 0

    /** In turn. A hash that has begun goes on when nobody waits for it any more, so it keeps its place until it is done. */
    const inTurn = <A>(who: keyof typeof room, work: () => Promise<A>) =>
      Effect.suspend(() => {
        if (inside >= room[who]) return noRoom
        inside++
        return Effect.promise(work).pipe(
          Effect.uninterruptible,
          permits.withPermits(1),
          Effect.ensuring(Effect.sync(() => inside--))
        )
      })

    /** The text to store, also for a password that was accepted before. */
    const hash = Effect.fn("Passwords.hash")((password: Redacted.Redacted) =>
      inTurn("signedIn", () => argon2.hash(typed(password), parameters))
    )

    /** The text to store of a password that somebody sets; fails where it is easy to guess. */
    const hashNew = Effect.fn("Passwords.hashNew")(function*({ about, field, password }: NewPassword) {
      const isCommon = yield* common
      const flaw = guessable(Redacted.value(password), (word) => isCommon.has(word), about)
      if (flaw !== null) return yield* ValidationFailed.at(field, flaw)
      return yield* hash(password)
    })

    /** Whether it is the password. Where there is none to compare with (`stored` is null, or no hash) the time is the same. */
    const verify = Effect.fn("Passwords.verify")(
      (stored: string | null, password: Redacted.Redacted, who: keyof typeof room = "signedIn") => {
        const comparable = stored?.startsWith("$argon2id$") === true ? stored : null
        return Effect.map(
          inTurn(who, () => argon2.verify(comparable ?? dummy, typed(password))),
          (same) => same && comparable !== null
        )
      }
    )

    const isOutdated = (stored: string): boolean => argon2.needsRehash(stored, parameters)

    return { hash, hashNew, verify, isOutdated } as const
  })
}) {
  static readonly layer = this.Default
}
