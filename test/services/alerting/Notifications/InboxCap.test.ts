import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Inbox } from "../../../../src/services/kernel/Inbox.ts"
import { brainOn, freshKey, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"

describe.each(engines)("the cap of inboxes on %s", (engine) => {
  layer(brainOn(engine, { inboxRowsPerMember: 100 }), { excludeTestServices: true })((it) => {
    it.effect("a member keeps the newest rows of each project", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const inbox = yield* Inbox
        const { user_id } = yield* freshKey()
        const [noisy, quiet] = [yield* freshProject(), yield* freshProject()]
        const insert = (projectId: typeof noisy.id, count: number, title: string) =>
          inbox.insert(Array.from({ length: count }, (_, n) => ({
            user_id,
            project_id: projectId,
            subscription_id: null,
            alert_id: null,
            trigger: "task.failed",
            reason: "subscription",
            title: `${title} ${n}`,
            body: null,
            data: {}
          })))
        const titles = (projectId: typeof noisy.id) =>
          Effect.map(
            sql<{ title: string }>`SELECT title FROM user_notifications
              WHERE user_id = ${user_id} AND project_id = ${projectId} ORDER BY id`,
            (rows) => rows.map(({ title }) => title)
          )
        yield* insert(quiet.id, 3, "quiet")
        yield* insert(noisy.id, 130, "old")
        assert.lengthOf(yield* titles(noisy.id), 100)
        for (let batch = 0; batch < 6; batch++) yield* insert(noisy.id, 200, `new ${batch}`)
        const kept = yield* titles(noisy.id)
        assert.isAtMost(kept.length, 600)
        assert.strictEqual(kept.at(-1), "new 5 199")
        assert.notInclude(kept, "old 129")
        assert.lengthOf(yield* titles(quiet.id), 3)
      }))
  })
})
