import { assert, describe, layer } from "@effect/vitest"
import * as argon2 from "argon2"
import { Effect, Either, Fiber, Redacted } from "effect"
import { Passwords } from "../../../src/services/identity/Passwords.ts"

const password = Redacted.make("correct horse battery staple")

describe("passwords", () => {
  layer(Passwords.layer)((it) => {
    it.effect("are those that were stored, however a keyboard writes them; what is no hash is none", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const stored = yield* passwords.hash(Redacted.make("žluťoučký kůň"))
        assert.isTrue(yield* passwords.verify(stored, Redacted.make("žluťoučký kůň".normalize("NFD"))))
        assert.isFalse(yield* passwords.verify(stored, Redacted.make("Žluťoučký kůň")))
        for (const none of [null, "!", "", "$2b$10$x"]) assert.isFalse(yield* passwords.verify(none, password))
      }))

    it.effect("are hashed by Argon2id with 19 MiB, two passes and one lane, each with a salt of its own", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const [one, another] = yield* Effect.all([passwords.hash(password), passwords.hash(password)])
        for (const stored of [one, another]) {
          assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
        }
        assert.notStrictEqual(one, another)
      }))

    it.effect("are refused, naming the field, when they are easy to guess", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const readRefusal = (text: string) =>
          Effect.flip(
            passwords.hashNew({ password: Redacted.make(text), field: "new_password", about: ["ann@example.com"] })
          )
        for (const text of ["password1234", "ann@example.com"]) {
          const { _tag, message, ...error } = yield* readRefusal(text)
          assert.strictEqual(_tag, "ValidationFailed")
          assert.include(JSON.stringify(error), "new_password")
          assert.notInclude(JSON.stringify(error) + message, text)
        }
      }))

    it.effect("wait for their turn in a number that has an end, and a flood of logins leaves room for signed-in people", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const login = Effect.either(passwords.admitLogin(passwords.verifyLogin(null, password)))
        const own = Effect.either(passwords.verify(null, password))
        const all = yield* Effect.all([...Array.from({ length: 40 }, () => login), own], { concurrency: "unbounded" })
        const [logins, last] = [all.slice(0, 40), all[40]]
        assert.lengthOf(logins.filter(Either.isRight), 32)
        for (const { left } of logins.filter(Either.isLeft)) assert.strictEqual(left._tag, "Unavailable")
        assert.deepStrictEqual(last, Either.right(false))
        assert.deepStrictEqual(yield* login, Either.right(false), "there is room again")
      }))

    it.effect("are rehashed at a login in the login's own place, however many signed-in people hash theirs", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const weak = yield* Effect.promise(() =>
          argon2.hash(Redacted.value(password), { timeCost: 2, memoryCost: 1024, parallelism: 1 })
        )
        const crowd = Array.from({ length: 33 }, () => Effect.either(passwords.hash(password)))
        const login = passwords.admitLogin(passwords.rehashAtLogin(weak, password))
        const [hashes, renewed] = yield* Effect.all([Effect.all(crowd, { concurrency: "unbounded" }), login], {
          concurrency: "unbounded"
        })
        assert.lengthOf(hashes.filter(Either.isLeft), 1, "their room is full")
        assert.match(renewed, /^\$argon2id\$v=19\$m=19456,/)
        assert.strictEqual(yield* passwords.rehashAtLogin(renewed, password), renewed)
      }))

    it.effect("whose asker has gone away give their room back", () =>
      Effect.gen(function*() {
        const passwords = yield* Passwords
        const login = passwords.admitLogin(passwords.verifyLogin(null, password))
        for (let round = 0; round < 3; round++) {
          const flood = yield* Effect.fork(
            Effect.all(Array.from({ length: 32 }, () => login), { concurrency: "unbounded" })
          )
          yield* Effect.yieldNow()
          yield* Fiber.interrupt(flood)
        }
        assert.isFalse(yield* login)
      }))
  })
})
