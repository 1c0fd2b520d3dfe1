import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId, UserId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { makeNamedRepo } from "../../../../src/services/operations/Home/NamedRepo.ts"
import { makeTriageChanges } from "../../../../src/services/tasks/Failures/TriageChanges.ts"
import { brainOn } from "../../../brain.ts"
import { plansOf } from "../../../plans.ts"

layer(brainOn("SQLite"), { excludeTestServices: true })("the triage of failure groups, on SQLite", (it) => {
  it.effect("finds what to change, and what needs attention, in indexes that have little else", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const applyChanges = yield* makeTriageChanges
      const { listNamed } = yield* makeNamedRepo
      const plans = (yield* plansOf(sql.withTransaction(applyChanges()))).flat()
      const groups = plans.filter((detail) => / g\b/.test(detail))
      assert.lengthOf(groups, 4, plans.join("\n"))
      for (const plan of groups) assert.match(plan, /USING (COVERING )?INDEX failure_groups_(recurred|muted)/)
      const ids = [ProjectId.make(randomUUID())]
      const decides = { seen: ids, operated: ids, administered: ids, administersUsers: false }
      const decider = { user_id: UserId.make(randomUUID()), ...decides }
      const home = (yield* plansOf(sql.withTransaction(listNamed(ids, decider, yield* Timestamp.now)))).flat()
      assert.isTrue(home.some((detail) => detail.includes("INDEX failure_groups_regressed")), home.join("\n"))
      assert.isFalse(home.some((detail) => /SCAN (failure_groups|g|alerts|approvals)\b/.test(detail)), home.join("\n"))
    }))
})
