import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import type { Person } from "../../../src/domain/kernel/Actor.ts"
import { ApiKeyId, UserId } from "../../../src/domain/kernel/Id.ts"
import { reservedBytes, ResponseBudget } from "../../../src/services/kernel/ResponseBudget.ts"
import type { SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { settingsOn } from "../../databases.ts"

const budgetOn = (overrides: Partial<SettingsShape>) =>
  Layer.provide(ResponseBudget.layer, settingsOn("SQLite", overrides))

const idOf = (name: string) => `01900000-0000-7000-8000-${Buffer.from(name.padEnd(6)).toString("hex")}`

/** A person by one of their keys. */
const by = (user: string, key = "key"): Person => ({
  kind: "person",
  user_id: UserId.make(idOf(user)),
  email: `${user}@example.com`,
  is_admin: false,
  roles: new Map(),
  refused_projects: new Set(),
  source_ip: null,
  user_agent: null,
  via: {
    kind: "api_key",
    api_key_id: ApiKeyId.make(idOf(key)),
    scopes: new Set(),
    project_id: null,
    is_address_allowed: true
  }
})

/** A read that is admitted, or waits, until it is closed. */
const read = (actor: Person, isHeavy: boolean, log: Array<string> = [], name = "") =>
  Effect.gen(function*() {
    const { admit } = yield* ResponseBudget
    const scope = yield* Scope.make()
    const fiber = yield* Effect.fork(Scope.extend(
      Effect.tap(admit(actor, isHeavy), () => Effect.sync(() => log.push(name))),
      scope
    ))
    yield* turns
    return { close: Effect.zipRight(Scope.close(scope, Exit.void), turns), poll: Fiber.poll(fiber), fiber }
  })

/** A few turns of the event loop: a heavy read that is admitted waits for one. */
const turns = Effect.replicateEffect(
  Effect.async<void>((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  5
)

const stateOf = ({ poll }: Effect.Effect.Success<ReturnType<typeof read>>) =>
  Effect.map(poll, (exit) => exit._tag === "None" ? "waits" : Exit.isSuccess(exit.value) ? "admitted" : "refused")

describe("responses in flight", () => {
  it.effect("a credential has as many heavy reads as the setting says, a user twice as many, then a queue, then 429", () =>
    Effect.gen(function*() {
      const first = yield* Effect.replicateEffect(read(by("ann", "one"), true), 2)
      const queued = yield* Effect.replicateEffect(read(by("ann", "one"), true), 16)
      const excess = yield* read(by("ann", "one"), true)
      assert.deepStrictEqual(yield* Effect.forEach(first, stateOf), ["admitted", "admitted"])
      assert.deepStrictEqual([...new Set(yield* Effect.forEach(queued, stateOf))], ["waits"])
      assert.strictEqual((yield* Effect.flip(Fiber.join(excess.fiber))).code, "rate_limited")
      const ofOtherKey = yield* Effect.replicateEffect(read(by("ann", "two"), true), 3)
      assert.deepStrictEqual(yield* Effect.forEach(ofOtherKey, stateOf), ["admitted", "admitted", "refused"])
      assert.strictEqual(yield* stateOf(yield* read(by("ann", "one"), false)), "admitted")
      assert.strictEqual(yield* stateOf(yield* read(by("bob"), true)), "admitted")
      yield* first[0]!.close
      assert.strictEqual(yield* stateOf(queued[0]!), "admitted")
      assert.strictEqual(yield* stateOf(queued[1]!), "waits")
      // who leaves the queue makes room in it, and takes no slot
      yield* Fiber.interrupt(queued[1]!.fiber)
      assert.strictEqual(yield* stateOf(yield* read(by("ann", "one"), true)), "waits")
      yield* first[1]!.close
      assert.strictEqual(yield* stateOf(queued[2]!), "admitted")
    }).pipe(Effect.provide(budgetOn({ heavyReads: 2 }))))

  it.effect("many keys of one user are one user", () =>
    Effect.gen(function*() {
      const reads = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (key) => read(by("ann", `k${key}`), true))
      const states = yield* Effect.forEach(reads, stateOf)
      assert.deepStrictEqual(states, ["admitted", "admitted", "admitted", "admitted", "waits", "waits"])
    }).pipe(Effect.provide(budgetOn({ heavyReads: 2 }))))

  it.effect("a user's further reads wait for the bytes of those before, and another user's do not", () =>
    Effect.gen(function*() {
      const { admit } = yield* ResponseBudget
      const scope = yield* Scope.make()
      const large = yield* Scope.extend(admit(by("ann"), false), scope)
      large.setBytes(4 * reservedBytes)
      const waiting = yield* read(by("ann"), false)
      assert.strictEqual(yield* stateOf(waiting), "waits")
      assert.strictEqual(yield* stateOf(yield* read(by("bob"), false)), "admitted")
      yield* Scope.close(scope, Exit.void)
      yield* turns
      assert.strictEqual(yield* stateOf(waiting), "admitted")
    }).pipe(Effect.provide(budgetOn({ answersMaxBytesPerUser: 4 * reservedBytes }))))

  it.effect("when the process's budget is taken, a user with little in flight still reads", () =>
    Effect.gen(function*() {
      const reads = yield* Effect.replicateEffect(read(by("ann"), false), 4)
      assert.deepStrictEqual([...new Set(yield* Effect.forEach(reads, stateOf))], ["admitted"])
      assert.strictEqual(yield* stateOf(yield* read(by("ann"), false)), "waits")
      const ofBob = yield* Effect.replicateEffect(read(by("bob"), false), 3)
      assert.deepStrictEqual(yield* Effect.forEach(ofBob, stateOf), ["admitted", "admitted", "waits"])
    }).pipe(Effect.provide(budgetOn({ answersMaxBytes: 4 * reservedBytes }))))

  it.effect("users who wait are admitted in turn", () =>
    Effect.gen(function*() {
      const log: Array<string> = []
      const running = yield* Effect.replicateEffect(read(by("ann"), false, log, "ann 0"), 4)
      yield* Effect.replicateEffect(read(by("bob"), false, log, "bob 0"), 2)
      for (const name of ["ann 1", "ann 2", "ann 3", "bob 1", "bob 2"]) {
        yield* read(by(name.slice(0, 3)), false, log, name)
      }
      log.length = 0
      for (const { close } of running) yield* close
      assert.deepStrictEqual(log, ["ann 1", "bob 1", "ann 2", "bob 2"].slice(0, log.length))
      assert.isAtLeast(log.length, 2)
    }).pipe(Effect.provide(budgetOn({ answersMaxBytes: 4 * reservedBytes }))))
})
