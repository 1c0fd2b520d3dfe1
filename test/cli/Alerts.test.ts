import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TriggerEvents } from "../../src/services/triggers/TriggerEvents.ts"
import { serverOn } from "../brain.ts"
import { failureOf } from "../services/triggers/TriggerEvents/world.ts"
import { until } from "../until.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

layer(serverOn("SQLite"), { excludeTestServices: true })("svc subscriptions and svc alerts", (it) => {
  it.scoped("subscribes, mutes, and acknowledges and snoozes what comes of it", () =>
    Effect.gen(function*() {
      const { project, run } = yield* visitor()
      const create = (...args: ReadonlyArray<string>) => run("subscriptions", "create", ...args)
      const idOf = (output: string) => /subscription (\S+) to/.exec(output)?.[1] ?? assert.fail(output)
      assertRefused(yield* create("task.exploded"), "trigger", 2)
      assertRefused(yield* create("task.failed", "--default", "--user-channel", project.id), "without --default", 2)
      const personal = idOf(ok(yield* create("task.failed", "--task-name", "shop.*")))
      const shared = idOf(ok(yield* create("task.failed", "--default", "--each")))
      assert.match(ok(yield* run("subscriptions", "list")), /task\.failed +active +task_name=shop\.\*/)
      assert.include(ok(yield* run("subscriptions", "list", "--default")), shared)
      assert.match(ok(yield* run("subscriptions", "show", personal)), /trigger +task\.failed/)
      assert.include(ok(yield* run("subscriptions", "mute", personal)), `muted ${personal} until`)
      assert.include(ok(yield* run("subscriptions", "list")), "muted until")
      assert.strictEqual(ok(yield* run("subscriptions", "unmute", personal)), `unmuted ${personal}\n`)
      ok(yield* run("subscriptions", "delete", personal, "--yes"))
      assertRefused(yield* run("subscriptions", "show", personal), "no such subscription")

      const sql = yield* SqlClient.SqlClient
      const triggers = yield* TriggerEvents
      yield* sql.withTransaction(triggers.record([failureOf(project.id)]))
      const list = Effect.map(run("alerts", "list", "--json"), (result) => JSON.parse(ok(result)).items)
      const [{ id }] = yield* until(list, ({ length }) => length === 1)
      assert.match(ok(yield* run("alerts", "list", "--status", "open")), /^shop\.charge fails.* +open +error /m)
      assert.match(ok(yield* run("alerts", "show", id)), /times +1/)
      assert.match(ok(yield* run("alerts", "snooze", id)), /^snoozed until .*: shop\.charge fails/)
      assert.match(ok(yield* run("alerts", "snooze", id, "--minutes", "0")), /^snooze ended: /)
      assert.match(ok(yield* run("alerts", "ack", id)), /^acknowledged: shop\.charge fails/)
      assert.match(ok(yield* run("alerts", "list")), /acknowledged +error/)
      assert.match(ok(yield* run("alerts", "ack", id, "--undo")), /^took back the acknowledgement of: /)
      assertRefused(yield* run("alerts", "show", project.id), "No such alert")
    }))
})
