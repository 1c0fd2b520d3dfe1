import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId } from "../../../../src/domain/kernel/Id.ts"
import type { AgentEvent } from "../../../../src/domain/kernel/TaskEvent.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { Ingest } from "../../../../src/services/tasks/Ingest.ts"
import { RollupMerge } from "../../../../src/services/tasks/Rollups/Merge.ts"
import { sweepRollups } from "../../../../src/services/tasks/Rollups/Retention.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { mergeAll, readRollups, rollupsOfTasks, taskEvents } from "../../../rollups.ts"
import { offerEvents, offerTo } from "../Ingest/world.ts"

const agentId = AgentId.make(randomUUID())

const ago = (seconds: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -seconds))

const namesOf = (rollups: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  [...new Set(Object.keys(rollups).filter((key) => key.split("|")[1] === "3").map((key) => key.split("|")[4]!))].sort()

const at = (timestamp: Timestamp.Timestamp, level: number): number => {
  const minute = Math.floor(Timestamp.toEpochSeconds(timestamp) / 60)
  return level === 0 ? minute : minute - (minute % (level === 1 ? 60 : 1440))
}

describe.each(engines)("rollups on %s", (engine) => {
  layer(brainOn(engine, { rollupSeriesPerProject: 20 }), { excludeTestServices: true })((it) => {
    it.effect("count a task by minute, hour and day, in its project, engine, queue and name", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* freshProject()
        const received = yield* ago(3600)
        yield* offerEvents({ projectId, agentId }, [
          ...taskEvents({ name: "shop.pay", received, runtimeMillis: 200, waitMillis: 0 }),
          ...taskEvents({ name: "shop.pay", received, runtimeMillis: 0, waitMillis: 0, outcome: "failed" })
        ])
        const rollups = yield* readRollups(projectId)
        assert.deepStrictEqual(rollups, yield* rollupsOfTasks(projectId))
        const ofWorker = Object.entries(rollups).filter(([key]) => key.split("|")[1] === "4")
        assert.deepStrictEqual([...new Set(ofWorker.map(([key]) => key[0]))], ["0", "1"], "no days of a worker")
        const ofHours = ofWorker.filter(([key]) => key.startsWith("1|4|celery||celery@box|"))
        assert.deepStrictEqual(ofHours.map(([, counted]) => [counted["success"], counted["failure"]]), [[1, 1]])
        for (const series of ["0|||", "1|celery||", "2|celery|celery|", "3|celery|celery|shop.pay"]) {
          for (const level of [1, 2]) {
            const counted = rollups[`${level}|${series}|${at(received, level)}`]
            assert.containSubset(counted, { received: 2, success: 1, failure: 1, runtime_count: 2, runtime_sum: 200 })
          }
        }
      }))

    it.effect("subtract what a later event corrects", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* freshProject()
        const received = yield* ago(7200)
        const [first, started, ended] = taskEvents({ name: "shop.slow", received, runtimeMillis: 3_000_000 })
        // first by a path that does not know the name, and late
        const unnamed: AgentEvent = {
          ...first!,
          occurredAt: Timestamp.addSeconds(received, 1),
          data: new Map([["task_name", "\"<unknown:abc>\""]])
        }
        yield* offerEvents({ projectId, agentId }, [unnamed])
        assert.deepStrictEqual(namesOf(yield* readRollups(projectId)), ["<unknown>"])
        yield* offerEvents({ projectId, agentId }, [ended!])
        yield* readRollups(projectId)
        yield* offerEvents({ projectId, agentId }, [started!, first!])
        const rollups = yield* readRollups(projectId)
        assert.deepStrictEqual(rollups, yield* rollupsOfTasks(projectId))
        assert.deepStrictEqual(namesOf(rollups), ["shop.slow"])
      }))

    it.effect("count series beyond a project's cap as other, and lose no task", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* freshProject()
        const received = yield* ago(60)
        const names = Array.from({ length: 40 }, (_, index) => `hostile.${String(index).padStart(2, "0")}`)
        yield* offerEvents({ projectId, agentId }, names.flatMap((name) => taskEvents({ name, received })))
        const rollups = yield* readRollups(projectId)
        const found = namesOf(rollups)
        assert.isAtMost(found.length, 21)
        assert.include(found, "other")
        const received2 = Object.entries(rollups).filter(([key]) => key.startsWith("2|3|"))
        assert.strictEqual(received2.reduce((sum, [, values]) => sum + Number(values["received"]), 0), 40)
        // a name that has its series keeps it, and others stay others
        yield* offerEvents({ projectId, agentId }, names.flatMap((name) => taskEvents({ name, received })))
        assert.deepStrictEqual(namesOf(yield* readRollups(projectId)), found)
      }))

    it.effect("count workers beyond a cap of their own as other, which leaves the task names theirs", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* freshProject()
        const received = yield* ago(60)
        const pods = Array.from({ length: 40 }, (_, index) => `celery@pod-${index}`)
        yield* offerEvents(
          { projectId, agentId },
          pods.flatMap((worker) => taskEvents({ name: "a", received, worker }))
        )
        yield* offerEvents({ projectId, agentId }, taskEvents({ name: "b", received }))
        const rollups = yield* readRollups(projectId)
        assert.deepStrictEqual(namesOf(rollups), ["a", "b"])
        const ofHours = Object.entries(rollups).filter(([key]) => key.startsWith("1|4|"))
        assert.lengthOf(new Set(ofHours.map(([key]) => key.split("|")[4])), 21)
        assert.strictEqual(ofHours.reduce((sum, [, counted]) => sum + Number(counted["success"]), 0), 41)
      }))

    it.effect("keep the sums of deleted tasks", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { id: projectId } = yield* freshProject()
        yield* offerEvents({ projectId, agentId }, taskEvents({ name: "shop.old", received: yield* ago(60) }))
        const before = yield* readRollups(projectId)
        yield* sql`DELETE FROM tasks WHERE project_id = ${projectId}`
        assert.deepStrictEqual(yield* readRollups(projectId), before)
        assert.isAbove(Object.keys(before).length, 0)
      }))

    it.effect("take times of any year, and do not store minutes that the retention would delete", () =>
      Effect.gen(function*() {
        const { id: projectId } = yield* freshProject()
        // the cast: the latest timestamp there is
        const latest = "9999-12-31T23:59:00.000000Z" as Timestamp.Timestamp
        const days = (count: number) => ago(count * Timestamp.secondsPerDay)
        yield* offerEvents({ projectId, agentId }, [
          ...taskEvents({ name: "far", received: latest }),
          ...taskEvents({ name: "old", received: yield* days(5) }),
          ...taskEvents({ name: "older", received: yield* days(100) }),
          ...taskEvents({ name: "oldest", received: yield* days(4000) })
        ])
        const levelsOf = (name: string, rollups: Readonly<Record<string, unknown>>) => [
          ...new Set(Object.keys(rollups).filter((key) => key.split("|")[4] === name).map((key) => key[0]))
        ]
        const rollups = yield* readRollups(projectId)
        assert.deepStrictEqual(levelsOf("far", rollups), ["0", "1", "2"])
        assert.deepStrictEqual(levelsOf("old", rollups), ["1", "2"])
        assert.deepStrictEqual(levelsOf("older", rollups), ["2"])
        assert.deepStrictEqual(levelsOf("oldest", rollups), [])
      }))

    it.effect("are swept by level, with series that have no row left", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { id: projectId } = yield* freshProject()
        yield* offerEvents({ projectId, agentId }, taskEvents({ name: "shop.pay", received: yield* ago(60) }))
        yield* offerEvents({ projectId, agentId }, taskEvents({ name: "shop.gone", received: yield* ago(60) }))
        yield* readRollups(projectId)
        const shift = (name: string, days: number) =>
          sql`UPDATE rollups SET bucket = bucket - ${days * 1440} WHERE series_id =
            (SELECT id FROM rollup_series WHERE project_id = ${projectId} AND name = ${name})`
        yield* shift("shop.pay", 10)
        yield* shift("shop.gone", 5000)
        yield* sweepRollups()
        const left = yield* sql<{ name: string; level: number }>`
          SELECT DISTINCT s.name, t.level FROM rollups t JOIN rollup_series s ON s.id = t.series_id
          WHERE t.project_id = ${projectId} AND s.kind = 3 ORDER BY s.name, t.level`
        assert.deepStrictEqual(left.map(({ level, name }) => `${name} ${level}`), ["shop.pay 1", "shop.pay 2"])
        const names = yield* sql<{ name: string }>`
          SELECT name FROM rollup_series WHERE project_id = ${projectId} AND kind = 3`
        assert.deepStrictEqual(names.map(({ name }) => name), ["shop.pay"])
      }))

    it.effect("drop what waits of a deleted project", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const project = yield* freshProject()
        const payload = JSON.stringify([[project.id, "celery", "late", "q", 29_000_000, [1], "", ""]])
        yield* sql`DELETE FROM projects WHERE id = ${project.id}`
        yield* sql`INSERT INTO rollup_deltas (payload) VALUES (${payload})`
        yield* mergeAll
        const series = yield* sql`SELECT id FROM rollup_series WHERE project_id = ${project.id}`
        assert.deepStrictEqual(series, [])
      }))
  })
})

layer(brainOn("PostgreSQL"), { excludeTestServices: true })("rollups of several replicas", (it) => {
  it.scoped("are exact while replicas write and merge at the same time", () =>
    Effect.gen(function*() {
      const fresh = <I, S, R>(tag: Context.Tag<I, S>, serviceLayer: Layer.Layer<I, never, R>) =>
        Effect.map(Layer.build(Layer.fresh(serviceLayer)), (context) => Context.get(context, tag))
      const ingests = [yield* Ingest, yield* fresh(Ingest, Ingest.layer), yield* fresh(Ingest, Ingest.layer)]
      const merges = [yield* RollupMerge, yield* fresh(RollupMerge, RollupMerge.layer)]
      const projectId = (yield* freshProject()).id
      const received = yield* ago(120)
      const names = Array.from({ length: 30 }, (_, index) => `shop.${index}`)
      const offers = Effect.forEach(ingests, (ingest) =>
        Effect.forEach(
          Array.from({ length: 8 }, () => names.flatMap((name) => taskEvents({ name, received }))),
          (events) => offerTo(ingest, { projectId, agentId }, events)
        ), { concurrency: "unbounded" })
      const merging = Effect.forEach(merges, ({ merge }) => Effect.forever(merge), { concurrency: "unbounded" })
      yield* Effect.raceFirst(offers, merging)
      const rollups = yield* readRollups(projectId)
      assert.deepStrictEqual(rollups, yield* rollupsOfTasks(projectId))
      const counted = Object.entries(rollups).filter(([key]) => key.startsWith("2|0|"))
      assert.strictEqual(counted.reduce((sum, [, values]) => sum + Number(values["received"]), 0), 3 * 8 * 30)
    }))
})
