import * as argon2 from "argon2"
import { Effect, Redacted } from "effect"
import { Unavailable, ValidationFailed } from "../../domain/Errors.ts"
import { findWeakness } from "../../domain/PasswordStrength.ts"
import { commonPasswords } from "./CommonPasswords.ts"

/**
 * argon2id, 19 MiB, two passes, one lane (OWASP's least; the design asks for no less). A stored hash made with less
 * is made again at the next login.
 */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash takes 19 MiB and one of libuv's four threads for some 30 ms: the others stay free for files and DNS. */
const maxConcurrentHashes = 2

/**
 * So many logins, and so much of what signed-in people do with passwords, may be at work or wait for their turn when one
 * more comes, which is then refused at once: half a second of hashing each on a machine with nothing else to do.
 */
const maxQueued = 32

const queueFull = new Unavailable({ detail: "Too many passwords are being checked just now. Try again in a few seconds." })

/** The hash of 32 forgotten bytes. Compared for addresses that nobody has, so that they take as long as the others. */
const dummyHash = "$argon2id$v=19$m=19456,p=1,t=2$kKKvDIW2jmxG0RhyXNhaLw$GZKD8SiHEccVV2DvDMDnLmc1hw6y1exmih+ZmSfy0Gw"

/** One password typed on two keyboards may come as different code points (NIST SP 800-63B, section 5.1.1.2). */
const normalizePassword = (password: Redacted.Redacted): string => Redacted.value(password).normalize("NFKC")

/** Lets `room` effects in at a time; one more fails. */
const makeAdmission = () => {
  let admittedCount = 0
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
      if (admittedCount >= maxQueued) return queueFull
      admittedCount++
      return Effect.ensuring(self, Effect.sync(() => admittedCount--))
    })
}

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
    const permits = yield* Effect.makeSemaphore(maxConcurrentHashes)
    const loadCommonPasswords = yield* commonPasswords

    /** A hash that has begun goes on when nobody waits for it any more, so it keeps its place until it is done. */
    const withPermit = <A>(work: () => Promise<A>) => permits.withPermits(1)(Effect.uninterruptible(Effect.promise(work)))

    /** Around a whole login, so that one that is refused costs nothing, and the others' part in all else is bounded too. */
    const admitLogin = makeAdmission()
    const admitSignedIn = makeAdmission()

    const computeHash = (password: Redacted.Redacted) => withPermit(() => argon2.hash(normalizePassword(password), parameters))

    /** The text to store, also for a password that was accepted before. */
    const hash = Effect.fn("Passwords.hash")((password: Redacted.Redacted) => admitSignedIn(computeHash(password)))

    /** The text to store of a password that somebody sets; fails where it is easy to guess. */
    const hashNew = Effect.fn("Passwords.hashNew")(function*({ about, field, password }: NewPassword) {
      const isCommon = yield* loadCommonPasswords
      const flaw = findWeakness(Redacted.value(password), (word) => isCommon.has(word), about)
      if (flaw !== null) return yield* ValidationFailed.at(field, flaw)
      return yield* hash(password)
    })

    const compareHash = (stored: string | null, password: Redacted.Redacted) => {
      const comparable = stored?.startsWith("$argon2id$") === true ? stored : null
      return Effect.map(
        withPermit(() => argon2.verify(comparable ?? dummyHash, normalizePassword(password))),
        (same) => same && comparable !== null
      )
    }

    /** Whether it is the password. Where there is none to compare with (`stored` is null, or no hash) the time is the same. */
    const verify = Effect.fn("Passwords.verify")((stored: string | null, password: Redacted.Redacted) =>
      admitSignedIn(compareHash(stored, password))
    )

    /** The same for a login that was admitted. */
    const verifyLogin = Effect.fn("Passwords.verifyLogin")(compareHash)

    /** The text to store for the password of a login that was admitted and is right: another one where less was asked for once. */
    const rehashAtLogin = Effect.fn("Passwords.rehashAtLogin")((stored: string, password: Redacted.Redacted) =>
      argon2.needsRehash(stored, parameters) ? computeHash(password) : Effect.succeed(stored)
    )

    return { admitLogin, hash, hashNew, verify, verifyLogin, rehashAtLogin } as const
  })
}) {
  static readonly layer = this.Default
}
