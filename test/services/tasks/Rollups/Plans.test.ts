import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { ProjectId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { HomeRepo } from "../../../../src/services/operations/Home/Repo.ts"
import { makeFailureGroupsRepo } from "../../../../src/services/tasks/Failures/Repo.ts"
import { listBuckets, windowOf } from "../../../../src/services/tasks/Failures/Window.ts"
import { makeRollupRepo } from "../../../../src/services/tasks/Rollups/Repo.ts"
import { levels, seriesKinds } from "../../../../src/services/tasks/Rollups/Series.ts"
import { brainOn } from "../../../brain.ts"
import { plansOf } from "../../../plans.ts"

describe("the rollups of a project's own series, on SQLite", () => {
  layer(Layer.provideMerge(HomeRepo.layer, brainOn("SQLite")), {
    excludeTestServices: true
  })((it) => {
    it.effect("are found by their key, without a read of all series", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { sumSlots } = yield* makeRollupRepo
        const { countAll } = yield* HomeRepo
        const projectId = ProjectId.make(randomUUID())
        const range = { level: levels.hour, from: 0, to: 1440 }
        const chart = sumSlots([projectId], { kind: seriesKinds.project }, range, 60, "both")
        const home = countAll([projectId], yield* Timestamp.now)
        // within a transaction, prepared reads run as statements that can be explained
        const plans = yield* plansOf(sql.withTransaction(Effect.zipRight(chart, home)))
        const reads = plans.flat().filter((detail) => detail.includes("level=?"))
        assert.isAtLeast(reads.length, 2, plans.join())
        for (const read of reads) {
          assert.include(read, "(project_id=? AND level=? AND series_id=? AND bucket>? AND bucket<?)")
        }
      }))

    it.effect("and so are the counts of failure groups in a window", () =>
      Effect.gen(function*() {
        const { countWindows } = yield* makeFailureGroupsRepo
        const projectId = ProjectId.make(randomUUID())
        const window = windowOf(yield* Timestamp.now, 6, listBuckets)
        const plans = yield* plansOf(countWindows(projectId, ["0123456789abcdef", "fedcba9876543210"], window))
        assert.lengthOf(plans, 2, "minutes and hours")
        for (const plan of plans) {
          assert.include(
            plan.join("\n"),
            "PRIMARY KEY (project_id=? AND fingerprint=? AND level=? AND bucket>? AND bucket<?)"
          )
        }
      }))
  })
})
