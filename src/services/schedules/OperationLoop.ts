import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Option, Queue, Stream } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { asString, JsonObject, parse } from "../../domain/kernel/CanonicalJson.ts"
import { CommandId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import {
  judgeOperation,
  type OperationCommandState,
  type OperationOutcome,
  projectionIdOf
} from "../../domain/schedules/Schedule/OperationOutcome.ts"
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
import { OperationsRepo, type ScheduleOperation, type WatchedOperation } from "./OperationsRepo.ts"
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

/** Follows operations on schedules of engines' own schedulers until they end. Every replica does it. */
export class OperationProgress extends Effect.Service<OperationProgress>()("svc/OperationProgress", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* OperationsRepo
    const streams = yield* StreamsRepo
    const commands = yield* Commands
    const statuses = yield* CommandStatusRepo
    const metrics = yield* Metrics
    const vault = yield* Vault
    const hints = yield* Hints
    const { commandTimeout } = yield* Settings

    /** Canonical JSON text of the fields that the operation writes. */
    const readDefinition = Effect.fnUntraced(function*(operation: ScheduleOperation) {
      const { desired_is_enabled, id, sealed_request } = operation
      if (operation.operation === "enable" || operation.operation === "disable") {
        return JSON.stringify({ is_enabled: desired_is_enabled })
      }
      if (sealed_request === null) return "{}"
      const request = yield* Effect.either(vault.open("schedule_operations.sealed_request", id, sealed_request))
      const node = Either.isRight(request) ? parse(request.right) : null
      const definition = node instanceof JsonObject ? node.get("definition") : undefined
      return definition instanceof JsonObject ? definition.text : "{}"
    })

    const judge = Effect.fnUntraced(function*(operation: WatchedOperation, now: Timestamp.Timestamp) {
      const { command_status, probe_epoch_number, probe_sequence, published_epoch_number, published_sequence } =
        operation
      const definition = yield* readDefinition(operation)
      const node = parse(definition)
      const name = node instanceof JsonObject ? asString(node.get("name")) ?? "" : ""
      const command: OperationCommandState | null = command_status === null ? null : {
        status: command_status,
        dispatched_at: operation.command_dispatched_at,
        completed_at: operation.command_completed_at,
        result: operation.command_result,
        error: operation.command_error
      }
      const claim = yield* repo.findClaim(operation.stream_id, operation.source_key, name)
      return judgeOperation(
        {
          operation: operation.operation,
          status: operation.status,
          definition,
          expected: { epoch_number: operation.epoch_number, sequence: operation.expected_sequence },
          probe: probe_epoch_number === null || probe_sequence === null
            ? null
            : { epoch_number: probe_epoch_number, sequence: probe_sequence },
          created_at: operation.created_at
        },
        {
          command,
          published: published_epoch_number === null || published_sequence === null
            ? null
            : { epoch_number: published_epoch_number, sequence: published_sequence },
          row: Option.match(claim, { onNone: () => null, onSome: ({ projection }) => projection })
        },
        now
      )
    })

    /** Asks for a snapshot, by which the brain learns whether an operation with an unknown outcome was done. */
    const askForSnapshot = Effect.fnUntraced(function*(operation: ScheduleOperation) {
      const stream = yield* streams.find(operation.stream_id)
      // a process that connects publishes a snapshot by itself
      if (Option.isNone(stream) || stream.value.status !== "live") return
      yield* commands.issueAll([{
        id: yield* Ids.nextOf(CommandId),
        project_id: operation.project_id,
        intent: {
          agent_id: stream.value.agent_id,
          action: "schedule.resync",
          engine: null,
          target_type: schedulerTarget,
          target_id: stream.value.scheduler,
          parameters: { scheduler: stream.value.scheduler },
          timeout_seconds: commandTimeout,
          bound_session_id: stream.value.session_id
        }
      }])
    })

    const write = Effect.fnUntraced(
      function*(operation: WatchedOperation, outcome: OperationOutcome, now: Timestamp.Timestamp) {
        const { epoch_uuid, published_epoch_number, published_sequence } = operation
        const source_key = operation.source_key ?? outcome.sourceKey
        const claim = operation.schedule_id === null && source_key !== null
          ? yield* repo.findClaim(operation.stream_id, source_key, "")
          : Option.none()
        const isShown = outcome.status === "succeeded" && outcome.sequence !== null
        const next: ScheduleOperation = {
          ...withoutFacts(operation),
          status: outcome.status,
          error: outcome.error,
          source_key,
          schedule_id: Option.match(claim, {
            onNone: () => operation.schedule_id,
            onSome: ({ schedule_id }) => schedule_id
          }),
          reserved_sequence: outcome.sequence ?? operation.reserved_sequence,
          ...(outcome.needsSnapshot && {
            probe_epoch_number: published_epoch_number ?? operation.epoch_number,
            probe_sequence: published_sequence ?? operation.expected_sequence
          }),
          result_projection_id: isShown ? projectionIdOf(epoch_uuid, outcome.sequence) : null,
          updated_at: now,
          ended_at: outcome.hasEnded ? now : null
        }
        const isWritten = yield* repo.update(next, operation)
        if (!isWritten) return
        yield* hints.publish("schedules", operation.project_id)
        if (outcome.needsSnapshot) yield* askForSnapshot(operation)
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

    /** Notes what has changed; returns the milliseconds until the next check. */
    const checkOpen = Effect.fn("OperationProgress.checkOpen")(function*() {
      const now = yield* Timestamp.now
      yield* cancelAbandoned(now)
      const open = yield* repo.listOpen(batchSize)
      for (const operation of open) {
        const outcome = yield* judge(operation, now)
        if (hasChanged(operation, outcome)) yield* write(operation, outcome, now)
      }
      const since = Timestamp.addSeconds(now, -waitedForSeconds)
      return open.some(({ created_at }) => created_at > since) ? busyMillis : idleMillis
    }, Effect.provideService(CurrentActor, system("schedules")))

    return { checkOpen } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([Commands.layer, CommandStatusRepo.layer, OperationsRepo.layer, StreamsRepo.layer])
  )
}

const hasChanged = (operation: ScheduleOperation, outcome: OperationOutcome): boolean =>
  outcome.hasEnded || outcome.needsSnapshot || outcome.status !== operation.status ||
  outcome.error !== operation.error ||
  (outcome.sequence !== null && outcome.sequence !== operation.reserved_sequence) ||
  (outcome.sourceKey !== null && operation.source_key === null)

const withoutFacts = (
  {
    command_completed_at: _completed,
    command_dispatched_at: _dispatched,
    command_error: _error,
    command_result: _result,
    command_status: _status,
    published_epoch_number: _epoch,
    published_sequence: _sequence,
    ...operation
  }: WatchedOperation
): ScheduleOperation => operation

/** Looks at open operations each second, more often while a person waits for one, and after each publication. */
export const layer = Layer.scopedDiscard(
  Effect.gen(function*() {
    const progress = yield* OperationProgress
    const loops = yield* Loops
    const hints = yield* Hints
    const wake = yield* Queue.sliding<void>(1)
    const round = Effect.flatMap(
      progress.checkOpen(),
      (millis) => Effect.timeoutOption(Queue.take(wake), millis)
    )
    yield* loops.forever(
      "schedule operation hints",
      Stream.runForEach(hints.subscribe("schedules"), () => wake.offer(undefined))
    )
    yield* loops.every("schedule operations", 0, round)
  })
).pipe(Layer.provide(OperationProgress.layer))
