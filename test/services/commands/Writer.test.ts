import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Brain from "../../../src/layers/Brain.ts"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { appendAudit } from "../../audit.ts"
import { engines, settingsOn } from "../../databases.ts"
import { verification } from "../audit/world.ts"
import { brainWithLine, commandsOver } from "./line.ts"
import { world } from "./world.ts"

const count = 30

const otherChange = appendAudit([{ action: "test.changed", target_type: "test" }])

/** Every command has one audit row, and the log verifies. */
const assertAudited = (ids: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ readonly target_id: string }>`
      SELECT target_id FROM audit_log WHERE action = 'command.issued' AND ${sql.in("target_id", ids)}`
    assert.deepStrictEqual(rows.map(({ target_id }) => target_id).toSorted(), ids.toSorted())
    assert.isNull((yield* verification).problem)
  })

describe.each(engines)("new commands on %s", (engine) => {
  layer(brainWithLine(engine), { excludeTestServices: true })((it) => {
    it.effect("are audited once each, between other changes of this process and beside them", () =>
      Effect.gen(function*() {
        const { cancelTask } = yield* world
        const issue = (index: number) => Effect.map(cancelTask(`t${index}`), ({ id }) => id)
        const byTurns = yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => index),
          (index) => index % 3 === 0 ? Effect.zipRight(otherChange, issue(index)) : issue(index)
        )
        const atOnce = yield* Effect.forEach(
          Array.from({ length: count }, (_, index) => index),
          (index) => Effect.zipLeft(issue(index), otherChange, { concurrent: true }),
          { concurrency: "unbounded" }
        )
        yield* assertAudited([...byTurns, ...atOnce])
      }))
  })
})

describe("new commands of two brains over one PostgreSQL", () => {
  layer(settingsOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("are audited once each, by turns and at once", () =>
      Effect.gen(function*() {
        const settings = yield* Settings
        const replica = Layer.build(Layer.fresh(
          commandsOver.pipe(Layer.provideMerge(Brain.layer), Layer.provideMerge(Layer.succeed(Settings, settings)))
        ))
        const [first, second] = [yield* replica, yield* replica]
        const [here, there] = [yield* Effect.provide(world, first), yield* Effect.provide(world, second)]
        const issue = (index: number) =>
          Effect.map((index % 2 === 0 ? here : there).cancelTask(`t${index}`), ({ id }) => id)
        const numbers = Array.from({ length: count }, (_, index) => index)
        const byTurns = yield* Effect.forEach(numbers, issue)
        const atOnce = yield* Effect.forEach(numbers, issue, { concurrency: "unbounded" })
        yield* Effect.provide(assertAudited([...byTurns, ...atOnce]), first)
      }))
  })
})
