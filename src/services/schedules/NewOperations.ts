import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { Conflict } from "../../domain/kernel/Errors.ts"
import { CommandId, type ScheduleId, ScheduleOperationId, type ScheduleStreamId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import type { Claim } from "../../domain/schedules/Schedule/Claims.ts"
import type { OperationName } from "../../domain/schedules/Schedule/Operation.ts"
import { operationCommand, operationsOf } from "../../domain/schedules/Schedule/OperationCommand.ts"
import { beginOperation } from "../../domain/schedules/Schedule/OperationState.ts"
import { epochOf, type ScheduleStream } from "../../domain/schedules/Schedule/Stream.ts"
import { auditEntry } from "../audit/Row.ts"
import { Commands } from "../commands/Commands.ts"
import { schedulerTarget } from "../commands/EncodeCommand.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, isUniqueViolation } from "../kernel/sql/Database.ts"
import { ClaimsRepo } from "./ClaimsRepo.ts"
import { nextToken } from "./ControlToken.ts"
import { OperationsRepo } from "./OperationsRepo.ts"
import { nameTaken, orNotFound, staleToken } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"
import { StreamsRepo } from "./StreamsRepo.ts"

/** The audit action of each operation: what was requested, since its agent decides later. */
const auditActions = {
  enable: "schedule.enable_requested",
  disable: "schedule.disable_requested",
  create: "schedule.create_requested",
  update: "schedule.update_requested",
  delete: "schedule.delete_requested",
  trigger: "schedule.trigger_now"
} as const satisfies Record<OperationName, string>

const offline = (scheduler: string) =>
  new Conflict({
    code: "schedule_publisher_offline",
    detail: `No connected agent publishes the schedules of ${scheduler}. Start its process, then repeat the request.`
  })

const unsupported = (scheduler: string, operation: OperationName, stream: ScheduleStream) => {
  const possible = operationsOf(stream.capabilities)
  return new Conflict({
    code: "schedule_operation_unsupported",
    detail: `${scheduler} cannot ${operation} its schedules from here. ${
      possible.length === 0 ? "It can only list them." : `It can: ${possible.join(", ")}.`
    } Change the schedule where it is defined.`
  })
}

export const busy = new Conflict({
  code: "schedule_operation_open",
  detail: "Another operation of this schedule has not been answered. Wait for its end, then repeat the request."
})

/** The operation that is requested. */
export interface Wanted {
  readonly operation: OperationName
  readonly requestId: string | null
  readonly observedControlToken: string | null
  /** Canonical JSON text of the fields to write. */
  readonly definition: string
  /** Canonical JSON text of the whole request; null for an operation without a request id. */
  readonly request: string | null
}

/** The schedule of an operation, with what its agent has published of it. */
interface Subject {
  readonly schedule: Schedule
  readonly claim: Claim
}

/** The names of a definition's fields. */
const namesOf = (definition: string): ReadonlyArray<string> => Object.keys(JSON.parse(definition))

/**
 * Begins operations: each inserts its row and its command in one transaction. One constructor: operations on a schedule
 * and creations share `begin`, and all its services.
 */
export const makeNewOperations = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const repo = yield* OperationsRepo
  const schedules = yield* SchedulesRepo
  const streams = yield* StreamsRepo
  const claims = yield* ClaimsRepo
  const commands = yield* Commands
  const vault = yield* Vault
  const hints = yield* Hints
  const { commandTimeout } = yield* Settings

  /** The live stream of a new schedule: of several, the oldest that can create. */
  const findCreator = Effect.fnUntraced(function*(scheduler: string) {
    const project = yield* CurrentProject
    const live = (yield* streams.listByProject(project.id)).filter((stream) =>
      stream.scheduler === scheduler && stream.status === "live"
    )
    const creator = live.find(({ capabilities }) => operationsOf(capabilities).includes("create")) ?? live[0]
    return creator ?? (yield* offline(scheduler))
  })

  /** Inserts the operation with its command, in the caller's transaction. */
  const begin = Effect.fnUntraced(function*(stream: ScheduleStream, subject: Subject | null, wanted: Wanted) {
    const { definition, operation } = wanted
    const project = yield* CurrentProject
    if (stream.status !== "live") return yield* offline(stream.scheduler)
    if (!operationsOf(stream.capabilities).includes(operation)) {
      return yield* unsupported(stream.scheduler, operation, stream)
    }
    const id = yield* Ids.nextOf(ScheduleOperationId)
    const command_id = yield* Ids.nextOf(CommandId)
    const isEnabling = operation === "enable" || (operation !== "disable" && subject?.schedule.is_enabled === true)
    const row = beginOperation({
      id,
      project_id: project.id,
      schedule_id: subject?.schedule.id ?? null,
      operation,
      request_id: wanted.requestId,
      sealed_request: wanted.request === null
        ? null
        : yield* vault.seal("schedule_operations.sealed_request", id, wanted.request),
      stream_id: stream.stream_id,
      epoch_uuid: stream.epoch_uuid,
      epoch_number: stream.epoch_number,
      expected_sequence: stream.accepted_sequence,
      source_key: subject?.claim.row.source_key ?? null,
      command_id,
      desired_is_enabled: subject === null ? null : isEnabling
    }, yield* Timestamp.now)
    yield* repo.insert(row).pipe(Effect.catchIf(isUniqueViolation, () => busy))
    const command = operationCommand({
      id,
      operation,
      epoch: epochOf(stream),
      acceptedSequence: stream.accepted_sequence,
      agentId: stream.agent_id,
      capabilities: stream.capabilities,
      schedule: subject === null ? null : {
        id: subject.schedule.id,
        sourceKey: subject.claim.row.source_key,
        projection: subject.claim.row.projection
      },
      definition
    })
    yield* hints.publish("schedules", project.id)
    yield* commands.issueWithin({
      id: command_id,
      project_id: project.id,
      intent: {
        ...command,
        agent_id: stream.agent_id,
        engine: null,
        target_type: schedulerTarget,
        target_id: stream.scheduler,
        timeout_seconds: commandTimeout,
        bound_session_id: stream.session_id,
        cause: auditEntry(auditActions[operation], "schedule", subject?.schedule.id ?? null, {
          project_id: project.id,
          metadata: {
            name: subject?.schedule.name ?? null,
            scheduler: stream.scheduler,
            operation_id: id,
            fields: namesOf(definition)
          }
        })
      }
    })
    return row
  })

  /** Begins an operation of a schedule in the stream that it is shown by. The locks are those of a publication. */
  const beginLocked = Effect.fnUntraced(
    function*(id: ScheduleId, stream_id: ScheduleStreamId, wanted: Wanted, revision: number | null) {
      const project = yield* CurrentProject
      const stream = yield* streams.lock(project.id, stream_id)
      const schedule = yield* orNotFound(yield* schedules.lock(project.id, id))
      const claim = (yield* claims.listBySchedules([id])).find(({ row, stream_id }) =>
        stream_id === schedule.stream_id && row.source_key === schedule.source_key
      )
      if (stream === null || claim === undefined || schedule.stream_id !== stream_id) {
        return yield* offline(schedule.scheduler)
      }
      if (wanted.observedControlToken !== null && wanted.observedControlToken !== schedule.control_token) {
        return yield* staleToken
      }
      if (yield* repo.isBusy(id)) return yield* busy
      if (revision !== null) {
        const control_token = yield* nextToken
        const updated_at = yield* Timestamp.now
        yield* schedules.update({ ...schedule, control_token, schedule_revision: revision, updated_at })
      }
      return yield* begin(stream, { schedule, claim }, wanted)
    },
    sql.withTransaction
  )

  /** As a publication, the revision has a transaction of its own, because its lock holds back all fires. */
  const beginOn = Effect.fnUntraced(function*({ id, scheduler, stream_id }: Schedule, wanted: Wanted) {
    if (stream_id === null) return yield* offline(scheduler)
    const revision = wanted.operation === "trigger" ? null : yield* schedules.takeRevisions(1)
    return yield* beginLocked(id, stream_id, wanted, revision)
  })

  const beginCreation = Effect.fnUntraced(
    function*(scheduler: string, name: string, wanted: Wanted) {
      const project = yield* CurrentProject
      const { stream_id } = yield* findCreator(scheduler)
      const stream = yield* streams.lock(project.id, stream_id)
      if (stream === null) return yield* offline(scheduler)
      if ((yield* claims.find(stream_id, null, name)) !== null) {
        return yield* nameTaken(scheduler, name)
      }
      return yield* begin(stream, null, wanted)
    },
    sql.withTransaction
  )

  return { beginOn, beginCreation } as const
})
