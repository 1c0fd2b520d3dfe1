import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { Loops } from "../../kernel/concurrency/Loops.ts"
import { Settings } from "../../kernel/Settings.ts"
import { orDieOnSql, Reader } from "../../kernel/sql/Database.ts"
import { deleteInSlices } from "../../kernel/sql/Dialect.ts"
import { hourOf } from "./GroupSql.ts"

/**
 * Deletes failure groups SVC_FAILURE_GROUPS_RETENTION_DAYS after their last failure, once none of their tasks is open:
 * the counts of a group stay those of its tasks. Several replicas may sweep at the same time.
 */
export const sweepFailureGroups = Effect.fn("FailureRetention.sweep")(function*() {
  const sql = yield* SqlClient.SqlClient
  const read = yield* Reader
  const settings = yield* Settings
  const seconds = settings.failureGroupsRetentionDays * Timestamp.secondsPerDay
  const before = Timestamp.addSeconds(yield* Timestamp.now, -seconds)
  for (const { id } of yield* read<{ id: string }>`SELECT id FROM projects ORDER BY id`) {
    yield* deleteInSlices(sql, {
      table: "failure_groups",
      key: "project_id, fingerprint",
      where: sql`project_id = ${id} AND last_seen_at < ${before} AND open_count <= 0`,
      orderBy: "last_seen_at"
    })
  }
  yield* deleteInSlices(sql, {
    table: "failure_group_hours",
    key: "project_id, fingerprint, hour",
    where: sql`hour < ${hourOf(before)}`,
    orderBy: "hour"
  })
}, orDieOnSql)

/** Once an hour. */
export const layerLoop = Layer.scopedDiscard(Effect.gen(function*() {
  const loops = yield* Loops
  yield* loops.upkeep("failure retention", "1 hour", sweepFailureGroups())
}))
