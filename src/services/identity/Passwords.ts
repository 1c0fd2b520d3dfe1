import * as argon2 from "argon2"
import { Effect, Redacted } from "effect"
import { findWeakness } from "../../domain/identity/PasswordStrength.ts"
import { Unavailable, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { commonPasswords } from "./Passwords/CommonPasswords.ts"

/**
 * argon2id, 19 MiB, two passes, one lane (OWASP's least; the design asks for no less). A stored hash with weaker
 * parameters is replaced at the next login.
 */
const parameters = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const

/** Each hash takes 19 MiB and one of libuv's four threads for some 30 ms: the others stay free for files and DNS. */
const maxConcurrentHashes = 2

/**
 * Capacity of each of the two queues, one for logins and one for signed-in users: running and waiting together. A
 * further request is refused at once. A full queue is half a second of hashing on an idle machine.
 */
const maxQueued = 32

const queueFull = new Unavailable({
  detail: "Too many passwords are being checked just now. Try again in a few seconds."
})

/**
 * The hash of 32 discarded random bytes. Unknown addresses are compared with it, so they take as long as known ones.
 */
const dummyHash = "$argon2id$v=19$m=19456,p=1,t=2$kKKvDIW2jmxG0RhyXNhaLw$GZKD8SiHEccVV2DvDMDnLmc1hw6y1exmih+ZmSfy0Gw"

/** One password typed on two keyboards may come as different code points (NIST SP 800-63B, section 5.1.1.2). */
const normalizePassword = (password: Redacted.Redacted): string => Redacted.value(password).normalize("NFKC")

/** Admits `maxQueued` effects at a time; further ones fail. */
const makeAdmission = () => {
  let admittedCount = 0
  return <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | Unavailable, R> =>
    Effect.suspend((): Effect.Effect<A, E | Unavailable, R> => {
      if (admittedCount >= maxQueued) return queueFull
      admittedCount++
      return Effect.ensuring(self, Effect.sync(() => admittedCount--))
    })
}

/** A password to be set. */
export interface NewPassword {
  readonly password: Redacted.Redacted
  /** The request's field, for the refusal's message. */
  readonly field: string
  /** Texts about the user, which the password must not resemble (`personalTextsOf`). */
  readonly about: ReadonlyArray<string>
}

export class Passwords extends Effect.Service<Passwords>()("svc/Passwords", {
  effect: Effect.gen(function*() {
    const permits = yield* Effect.makeSemaphore(maxConcurrentHashes)
    const loadCommonPasswords = yield* commonPasswords

    /** argon2 cannot be cancelled, so a started hash keeps its permit until it is done. */
    const withPermit = <A>(work: () => Promise<A>) =>
      permits.withPermits(1)(Effect.uninterruptible(Effect.promise(work)))

    /** Wraps a whole login, so that a refused login costs nothing, and the database work of logins is bounded too. */
    const admitLogin = makeAdmission()
    const admitSignedIn = makeAdmission()

    const computeHash = (password: Redacted.Redacted) =>
      withPermit(() => argon2.hash(normalizePassword(password), parameters))

    /** The hash to store; does not check the password's strength. */
    const hash = Effect.fn("Passwords.hash")((password: Redacted.Redacted) => admitSignedIn(computeHash(password)))

    /** The hash to store of a new password; fails when the password is easy to guess. */
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

    /** Whether the password matches. Takes the same time without a hash (`stored` is null, or is not a hash). */
    const verify = Effect.fn("Passwords.verify")((stored: string | null, password: Redacted.Redacted) =>
      admitSignedIn(compareHash(stored, password))
    )

    /** Verifies the password within `admitLogin`, which limits concurrent logins. */
    const verifyLogin = Effect.fn("Passwords.verifyLogin")(compareHash)

    /** The hash to store after a successful admitted login: a new one where the stored hash has weaker parameters. */
    const rehashAtLogin = Effect.fn("Passwords.rehashAtLogin")((stored: string, password: Redacted.Redacted) =>
      argon2.needsRehash(stored, parameters) ? computeHash(password) : Effect.succeed(stored)
    )

    return { admitLogin, hash, hashNew, verify, verifyLogin, rehashAtLogin } as const
  })
}) {
  static readonly layer = this.Default
}
