import * as argon2 from "argon2"
import { Effect, Redacted } from "effect"

/**
 * argon2id, 19 MiB, two passes, one lane (OWASP's least; the design asks for no less). A stored hash made with less
 * is made again at the next login.
 */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash takes 19 MiB and one of libuv's four threads for some 30 ms: the others stay free for files and DNS. */
const atOnce = 2

/** The hash of 32 forgotten bytes. Compared for addresses that nobody has, so that they take as long as the others. */
const dummy = "$argon2id$v=19$m=19456,p=1,t=2$kKKvDIW2jmxG0RhyXNhaLw$GZKD8SiHEccVV2DvDMDnLmc1hw6y1exmih+ZmSfy0Gw"

/** One password typed on two keyboards may come as different code points (NIST SP 800-63B, section 5.1.1.2). */
const typed = (password: Redacted.Redacted): string => Redacted.value(password).normalize("NFKC")

export class Passwords extends Effect.Service<Passwords>()("svc/Passwords", {
  effect: Effect.gen(function*() {
    const permits = yield* Effect.makeSemaphore(atOnce)

    /** The text to store. */
    const hash = Effect.fn("Passwords.hash")((password: Redacted.Redacted) =>
      permits.withPermits(1)(Effect.promise(() => argon2.hash(typed(password), parameters)))
    )

    /** Whether it is the password; null for `stored` is never, after the same time. */
    const verify = Effect.fn("Passwords.verify")((stored: string | null, password: Redacted.Redacted) =>
      permits.withPermits(1)(Effect.tryPromise(() => argon2.verify(stored ?? dummy, typed(password)))).pipe(
        Effect.orElseSucceed(() => false), // what is stored is not a hash: an account without a password
        Effect.map((same) => same && stored !== null)
      )
    )

    const isOutdated = (stored: string): boolean => argon2.needsRehash(stored, parameters)

    return { hash, verify, isOutdated } as const
  })
}) {
  static readonly layer = this.Default
}
