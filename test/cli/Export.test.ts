import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { serverOn } from "../brain.ts"
import { insertTask } from "../tasks.ts"
import { assertRefused, ok, visitor } from "./remote.ts"

// On one database, as the program's other tests against a running brain: test/http/ has what is behind it on both.
layer(serverOn("SQLite", { tasksExportMaxRows: 2, restMaxPageSize: 2 }), { excludeTestServices: true })(
  "svc tasks",
  (it) => {
    it.scoped("export writes a file, says when it stops at the cap, and overwrites none", () =>
      Effect.gen(function*() {
        const { project, run, settings } = yield* visitor()
        for (const queue of ["one", "two", "two"]) yield* insertTask(project.id, { queue })
        const file = (name: string) => join(settings["SVC_HOME"]!, name)

        const all = yield* run("tasks", "export", file("all.csv"), "--fields", "queue,name")
        assert.strictEqual(all.code, 0, all.stderr)
        assert.match(
          all.stderr,
          /^svc: \S+all\.csv has only the newest matching tasks: [^\n]+SVC_TASKS_EXPORT_MAX_ROWS[^\n]+\n$/
        )
        assert.strictEqual(
          readFileSync(file("all.csv"), "utf8"),
          "\"queue\",\"name\"\r\n\"two\",\"shop.orders.ship\"\r\n\"two\",\"shop.orders.ship\"\r\n"
        )

        const filtered = yield* run("tasks", "export", file("some.json"), "--queue", "two", "--fields", "queue")
        assert.deepStrictEqual([filtered.code, filtered.stdout, filtered.stderr], [0, "", ""])
        assert.deepStrictEqual(JSON.parse(readFileSync(file("some.json"), "utf8")), [{ queue: "two" }, {
          queue: "two"
        }])
        ok(yield* run("tasks", "export", file("some.xlsx"), "--queue", "one"))
        assert.strictEqual(readFileSync(file("some.xlsx")).subarray(0, 2).toString(), "PK")

        assertRefused(yield* run("tasks", "export", file("all.csv")), "exists")
        assertRefused(yield* run("tasks", "export", file("all.txt")), ".csv, .json or .xlsx", 2)
        assertRefused(yield* run("tasks", "export", file("wrong.csv"), "--fields", "secret"), "secret")
        assert.isFalse(existsSync(file("wrong.csv")))
      }))

    it.scoped("list says when its limit was over the largest page", () =>
      Effect.gen(function*() {
        const { project, run } = yield* visitor()
        yield* insertTask(project.id)
        const clamped = yield* run("tasks", "list", "--limit", "3", "--json")
        assert.strictEqual(clamped.code, 0)
        assert.match(clamped.stderr, /^svc: the brain returns at most 2 rows a page [^\n]+--cursor\n$/)
        assert.lengthOf(JSON.parse(clamped.stdout).items, 1)
        assert.strictEqual((yield* run("tasks", "list", "--limit", "2")).stderr, "")
      }))
  }
)
