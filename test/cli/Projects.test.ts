import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import { ok, refused } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

describe("svc reset-allowed-cidrs", () => {
  it.scoped("removes the list with --yes, and says when there is none", () =>
    Effect.gen(function*() {
      const settings = { SVC_HOME: yield* temporaryHome }
      const input = "a long password\n"
      ok(yield* svcHere(["bootstrap-admin", "--email", "a@example.com", "--password-stdin"], settings, { input }))
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new BetterSqlite3(join(settings.SVC_HOME, "svc.db"))),
        (db) => Effect.sync(() => db.close())
      )
      db.exec(`UPDATE projects SET allowed_cidrs = '["192.0.2.0/24"]'`)
      const list = db.prepare("SELECT allowed_cidrs FROM projects").pluck()

      refused(yield* svcHere(["reset-allowed-cidrs", "default"], settings), "add --yes", 2)
      refused(yield* svcHere(["reset-allowed-cidrs", "none", "--yes"], settings), "No such project")
      assert.strictEqual(list.get(), `["192.0.2.0/24"]`)
      const reset = svcHere(["reset-allowed-cidrs", "default", "--yes"], settings)
      assert.include(ok(yield* reset), "can be used from every address again")
      assert.isNull(list.get())
      assert.include(ok(yield* reset), "nothing was done")
    }))
})
