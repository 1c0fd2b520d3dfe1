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
      const watch = ["--priority", "critical,high", "--send-only", "22:00-07:00", "--timezone", "Europe/Berlin"].concat(
        "--days",
        "mon,fri"
      )
      const idOf = (output: string) => /subscription (\S+) to/.exec(output)?.[1] ?? assert.fail(output)
      assertRefused(yield* create("task.exploded"), "trigger", 2)
      assertRefused(yield* create("task.failed", "--default", "--user-channel", project.id), "without --default", 2)
      assertRefused(yield* create("task.failed", "--days", "mon"), "need --send-only or --send-except", 2)
      assertRefused(yield* create("task.failed", "--send-only", "22-7"), "must be a time such as 22:00", 2)
      const personal = idOf(ok(yield* create("task.failed", "--task-name", "shop.*", ...watch)))
      const { filters, send_hours } = JSON.parse(ok(yield* run("subscriptions", "show", personal, "--json")))
      assert.deepStrictEqual([filters.priority, send_hours], [["critical", "high"], {
        mode: "only",
        start: "22:00",
        end: "07:00",
        timezone: "Europe/Berlin",
        days: ["mon", "fri"],
        always_critical: true
      }])
      const shared = idOf(ok(yield* create("task.failed", "--default", "--each")))
      assert.match(
        ok(yield* run("subscriptions", "list")),
        /task\.failed +active +priority=critical,high task_name=shop\.\*/
      )
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
