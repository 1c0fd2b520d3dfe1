import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import { assertRefused, ok } from "./remote.ts"
import { svcHere } from "./svcHere.ts"

describe("svc reset-project-policies", () => {
  it.scoped("removes addresses and approvals with --yes, and says when there are none", () =>
    Effect.gen(function*() {
      const settings = { SVC_HOME: yield* temporaryHome }
      const input = "a long password\n"
      ok(yield* svcHere(["bootstrap-admin", "--email", "a@example.com", "--password-stdin"], settings, { input }))
      const db = yield* Effect.acquireRelease(
        Effect.sync(() => new BetterSqlite3(join(settings.SVC_HOME, "svc.db"))),
        (db) => Effect.sync(() => db.close())
      )
      const approvals = JSON.stringify({ purge: true, bulk_over: null, destructive_rules: false })
      db.prepare(`UPDATE projects SET allowed_cidrs = '["192.0.2.0/24"]', approvals = ?`).run(approvals)
      const policies = db.prepare("SELECT allowed_cidrs, approvals FROM projects")

      assertRefused(yield* svcHere(["reset-project-policies", "default"], settings), "add --yes", 2)
      assertRefused(yield* svcHere(["reset-project-policies", "none", "--yes"], settings), "No such project")
      assert.deepStrictEqual(policies.get(), { allowed_cidrs: `["192.0.2.0/24"]`, approvals })
      const reset = svcHere(["reset-project-policies", "default", "--yes"], settings)
      assert.include(ok(yield* reset), "can be used from every address")
      assert.deepStrictEqual(policies.get(), { allowed_cidrs: null, approvals: null })
      assert.include(ok(yield* reset), "nothing was done")
    }))
})
