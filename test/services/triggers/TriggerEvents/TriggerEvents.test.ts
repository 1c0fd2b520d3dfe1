import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { randomUUID } from "node:crypto"
import type { Consumer } from "../../../../src/domain/kernel/Consumer.ts"
import type { ProjectId } from "../../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../../src/domain/kernel/Timestamp.ts"
import { Metrics } from "../../../../src/services/kernel/Metrics.ts"
import { Hints } from "../../../../src/services/kernel/sql/Database.ts"
import { TriggerEvents } from "../../../../src/services/triggers/TriggerEvents.ts"
import type { WaitingEvent } from "../../../../src/services/triggers/TriggerEvents/Repo.ts"
import { brainOn, freshProject } from "../../../brain.ts"
import { engines } from "../../../databases.ts"
import { until } from "../../../until.ts"
import { failureOf, recordedEvents, subscribe, watchOutbox } from "./world.ts"

/** A consumer of a test's own, so that the brain's consumers leave its events alone. */
const consumerOf = (projectId: ProjectId): Consumer =>
  // the cast: the outbox compares the text
  projectId as string as Consumer

describe.each(engines)("the outbox of trigger events on %s", (engine) => {
  const withWatch = Layer.effectDiscard(watchOutbox).pipe(Layer.provideMerge(brainOn(engine)))
  layer(withWatch, { excludeTestServices: true })((it) => {
    const record = (...events: ReadonlyArray<ReturnType<typeof failureOf>>) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql.withTransaction((yield* TriggerEvents).record(events))
      })

    /** Inserts the events for the test's own consumer. */
    const recordForTest = (...events: ReadonlyArray<ReturnType<typeof failureOf>>) =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { bumpRevision, record } = yield* TriggerEvents
        const { project_id } = events[0]!
        yield* subscribe(project_id, events[0]!.trigger)
        yield* bumpRevision(project_id)
        yield* sql.withTransaction(Effect.gen(function*() {
          yield* record(events)
          yield* sql`UPDATE trigger_events SET consumer = ${consumerOf(project_id)} WHERE project_id = ${project_id}`
          yield* (yield* Hints).publish("trigger_events", consumerOf(project_id))
        }))
      })

    it.effect("keeps what a subscription asks for, and follows its changes", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const triggers = yield* TriggerEvents
        const { id } = yield* freshProject()
        const failure = failureOf(id)
        yield* record(failure)
        assert.deepStrictEqual(yield* recordedEvents(id), [], "nobody subscribes")
        yield* subscribe(id, "task.failed", { queue: "mail" })
        yield* record(failure, failureOf(id, { queue: "mail" }), failureOf(id, { trigger: "task.succeeded" }))
        assert.deepStrictEqual(yield* recordedEvents(id), [failureOf(id, { queue: "mail" })])
        yield* subscribe(id, "task.failed")
        yield* record(failure)
        assert.deepStrictEqual((yield* recordedEvents(id)).at(-1), failure, "and once for both subscriptions")
        assert.lengthOf(yield* recordedEvents(id), 2)
        yield* sql.withTransaction(Effect.zipRight(
          sql`UPDATE subscriptions SET is_active = 0 WHERE project_id = ${id}`,
          triggers.bumpRevision(id)
        ))
        yield* record(failure)
        assert.lengthOf(yield* recordedEvents(id), 2)
      }))

    it.effect("keeps nothing for a muted subscription until its mute ends", () =>
      Effect.gen(function*() {
        const { id } = yield* freshProject()
        const muteEnd = Timestamp.addSeconds(yield* Timestamp.now, 0.5)
        yield* subscribe(id, "task.failed", {}, muteEnd)
        yield* record(failureOf(id))
        assert.deepStrictEqual(yield* recordedEvents(id), [])
        yield* until(Effect.zipRight(record(failureOf(id)), recordedEvents(id)), (events) => events.length > 0)
        assert.isTrue((yield* Timestamp.now) > muteEnd)
      }))

    it.effect("splits an event of many occurrences into several", () =>
      Effect.gen(function*() {
        const { id } = yield* freshProject()
        yield* subscribe(id, "task.failed")
        const [occurrence] = failureOf(id).occurrences
        yield* record(
          failureOf(id, { occurrences: [occurrence, ...Array.from({ length: 249 }, () => occurrence)] })
        )
        assert.sameMembers((yield* recordedEvents(id)).map(({ occurrences }) => occurrences.length), [100, 100, 50])
      }))

    it.effect("gives an event to one consumer once, and again when its transaction fails", () =>
      Effect.gen(function*() {
        const { consume } = yield* TriggerEvents
        const { id } = yield* freshProject()
        const consumer = consumerOf(id)
        yield* recordForTest(failureOf(id))
        const started = yield* Deferred.make<void>()
        const slow = yield* Effect.fork(
          consume(consumer, () => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
        )
        yield* Deferred.await(started)
        if (engine === "PostgreSQL") {
          assert.strictEqual(yield* consume(consumer, () => Effect.void), 0, "another transaction has it")
        }
        yield* Fiber.interrupt(slow) // as a process that dies
        assert.strictEqual(yield* consume(consumer, () => Effect.void), 1)
        assert.strictEqual(yield* consume(consumer, () => Effect.void), 0)
      }))

    it.effect("postpones an event that cannot be written, without its neighbours, and gives it up in the end", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { consume } = yield* TriggerEvents
        const metrics = yield* Metrics
        const { id } = yield* freshProject()
        const consumer = consumerOf(id)
        yield* recordForTest(failureOf(id), failureOf(id, { condition: "poison" }), failureOf(id, { condition: "f3" }))
        const [row] = yield* sql<{ due_at: string }>`SELECT due_at FROM trigger_events WHERE project_id = ${id}`
        yield* sql`INSERT INTO trigger_events ${
          sql.insert({
            id: randomUUID(),
            consumer,
            project_id: id,
            payload: "{}",
            due_at: row!.due_at,
            created_at: row!.due_at
          })
        }`
        const written: Array<string> = []
        const write = (taken: ReadonlyArray<WaitingEvent>) =>
          Effect.gen(function*() {
            yield* sql`UPDATE projects SET description = 'written' WHERE id = ${id}`
            if (taken.some(({ event }) => event.condition === "poison")) return yield* Effect.die("poison")
            written.push(...taken.map(({ event }) => event.condition))
          })
        yield* consume(consumer, write)
        assert.sameMembers(written, ["f1", "f3"])
        const [poison] = yield* waitingRows(id)
        assert.strictEqual(poison?.attempts, 1)
        assert.isTrue((poison?.due_at ?? "") > (yield* Timestamp.now))
        for (let attempt = 2; attempt <= 8; attempt++) {
          yield* sql`UPDATE trigger_events SET due_at = created_at WHERE consumer = ${consumer}`
          yield* consume(consumer, write)
        }
        assert.deepStrictEqual(yield* waitingRows(id), [])
        const { values } = yield* Effect.promise(() => metrics.swallowedExceptions.get())
        assert.strictEqual(
          values.find(({ labels }) => labels.module === "trigger_events" && labels.site === "given_up")?.value,
          2
        )
      }))

    it.scoped("wakes its consumer at the commit", () =>
      Effect.gen(function*() {
        const triggers = yield* TriggerEvents
        const { id } = yield* freshProject()
        const taken: Array<WaitingEvent> = []
        yield* triggers.consumeForever("test consumer", consumerOf(id), (events) =>
          Effect.sync(() =>
            taken.push(...events)
          ))
        yield* recordForTest(failureOf(id))
        yield* until(Effect.sync(() => taken.length), (events) => events === 1)
        // the rows are gone at the consumer's commit
        yield* until(waitingRows(id), ({ length }) => length === 0)
      }))
  })
})

const waitingRows = (projectId: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql<{ attempts: number; due_at: string }>`SELECT attempts, due_at FROM trigger_events
      WHERE project_id = ${projectId} AND payload <> '{}'`
  )
