import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option, Queue, Stream } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { asString, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import { CommandId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  enablingDefinition,
  nextOperation,
  readOperationResult,
  type ScheduleOperation
} from "../../domain/schedules/Schedule/OperationState.ts"
import { Commands } from "../commands/Commands.ts"
import { schedulerTarget } from "../commands/EncodeCommand.ts"
import { observeCommandEnd } from "../commands/EndMetrics.ts"
import { CommandStatusRepo } from "../commands/StatusRepo.ts"
import { Loops } from "../kernel/concurrency/Loops.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Metrics } from "../kernel/Metrics.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints } from "../kernel/sql/Database.ts"
import { ClaimsRepo } from "./ClaimsRepo.ts"
import { OperationsRepo, type WatchedOperation } from "./OperationsRepo.ts"
import { StreamsRepo } from "./StreamsRepo.ts"

/** Operations of one round. */
const batchSize = 200

/** Milliseconds between rounds while an operation of the last minute is open: a person waits for it. */
const busyMillis = 200
const idleMillis = 1000
const waitedForSeconds = 60

/** Why an operation failed that was not sent. */
const publisherGone =
  "Never sent: the process that publishes the schedule has disconnected. Repeat the operation once it is back."

const memberOf = (json: string, name: string) => {
  const node = parse(json)
  return node instanceof JsonObject ? node.get(name) : undefined
}

/** Moves operations on schedules of engines' own schedulers by what has happened. Every replica does it. */
const makeRound = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* OperationsRepo
  const streams = yield* StreamsRepo
  const claims = yield* ClaimsRepo
  const commands = yield* Commands
  const statuses = yield* CommandStatusRepo
  const metrics = yield* Metrics
  const vault = yield* Vault
  const hints = yield* Hints
  const { commandTimeout } = yield* Settings

  /** Canonical JSON text of the fields that the operation writes. */
  const readDefinition = Effect.fnUntraced(function*(row: ScheduleOperation) {
    const { desired_is_enabled, id, operation, sealed_request } = row
    if (operation === "enable" || operation === "disable") return enablingDefinition(desired_is_enabled === true)
    if (sealed_request === null) return "{}"
    const request = yield* Effect.either(vault.open("schedule_operations.sealed_request", id, sealed_request))
    const definition = Either.isRight(request) ? memberOf(request.right, "definition") : undefined
    return definition instanceof JsonObject ? definition.text : "{}"
  })

  const findNext = Effect.fnUntraced(function*(operation: WatchedOperation, now: Timestamp.Timestamp) {
    const definition = yield* readDefinition(operation)
    const key = operation.source_key ?? readOperationResult(operation.command_result).sourceKey
    const name = asString(memberOf(definition, "name")) ?? ""
    const claim = yield* claims.find(operation.stream_id, key, name)
    return nextOperation(operation, { ...operation, claim, definition }, now)
  })

  /** Requests a snapshot, by which the brain learns whether an operation with an unknown outcome was done. */
  const requestSnapshot = Effect.fnUntraced(function*(operation: ScheduleOperation) {
    const stream = yield* streams.find(operation.stream_id)
    // a process that connects publishes a snapshot by itself
    if (Option.isNone(stream) || stream.value.status !== "live") return
    const { agent_id, scheduler, session_id } = stream.value
    yield* commands.issueAll([{
      id: yield* Ids.nextOf(CommandId),
      project_id: operation.project_id,
      intent: {
        agent_id,
        action: "schedule.resync",
        engine: null,
        target_type: schedulerTarget,
        target_id: scheduler,
        parameters: { scheduler },
        timeout_seconds: commandTimeout,
        bound_session_id: session_id
      }
    }])
  })

  const write = Effect.fnUntraced(
    function*(before: ScheduleOperation, operation: ScheduleOperation) {
      if (!(yield* repo.update(operation, before))) return
      yield* hints.publish("schedules", operation.project_id)
      if (before.probe_sequence === null && operation.probe_sequence !== null) yield* requestSnapshot(operation)
    },
    sql.withTransaction
  )

  /** Nothing was sent, and nothing will be: the commands are bound to a connection that has ended. */
  const cancelAbandoned = Effect.fnUntraced(function*(now: Timestamp.Timestamp) {
    const abandoned = yield* repo.listAbandoned(batchSize)
    if (abandoned.length === 0) return
    const cancelled = yield* statuses.cancelUnsent(abandoned.map(({ id }) => id), now, publisherGone)
    for (const command of cancelled) observeCommandEnd(metrics, command, now)
  })

  /** Notes what has changed; returns the milliseconds until the next round. */
  return Effect.gen(function*() {
    const now = yield* Timestamp.now
    yield* cancelAbandoned(now)
    const openOperations = yield* repo.listOpen(batchSize)
    for (const operation of openOperations) {
      const next = yield* findNext(operation, now)
      if (next !== null) yield* write(operation, next)
    }
    const since = Timestamp.addSeconds(now, -waitedForSeconds)
    return openOperations.some(({ created_at }) => created_at > since) ? busyMillis : idleMillis
  }).pipe(Effect.withSpan("OperationLoop.round"), Effect.provideService(CurrentActor, system("schedules")))
})

/** Checks open operations each second, more often while a person waits for one, and after each publication. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function*() {
    const round = yield* makeRound
    const loops = yield* Loops
    const hints = yield* Hints
    const wake = yield* Queue.sliding<void>(1)
    yield* loops.forever(
      "schedule operation hints",
      Stream.runForEach(hints.subscribe("schedules"), () => wake.offer(undefined))
    )
    yield* loops.every(
      "schedule operations",
      0,
      Effect.flatMap(round, (millis) => Effect.timeoutOption(Queue.take(wake), millis))
    )
  })
).pipe(
  Layer.provide([ClaimsRepo.layer, Commands.layer, CommandStatusRepo.layer, OperationsRepo.layer, StreamsRepo.layer])
)
