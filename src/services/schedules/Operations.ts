import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { canonicalize, type CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import { CommandId, type ScheduleId, ScheduleOperationId, type ScheduleStreamId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { type Schedule, serviceScheduler } from "../../domain/schedules/Schedule.ts"
import type { Claim } from "../../domain/schedules/Schedule/Claims.ts"
import {
  type NativeOperationRequest,
  type OperationName,
  requestIssues
} from "../../domain/schedules/Schedule/Operation.ts"
import { capabilitiesOf, operationCommand, operationsOf } from "../../domain/schedules/Schedule/OperationCommand.ts"
import {
  beginOperation,
  controlOperationOf,
  enablingDefinition
} from "../../domain/schedules/Schedule/OperationState.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { Commands } from "../commands/Commands.ts"
import { schedulerTarget } from "../commands/EncodeCommand.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { Settings } from "../kernel/Settings.ts"
import { Hints, isUniqueViolation, orDieOnSql } from "../kernel/sql/Database.ts"
import { nextToken } from "./ControlToken.ts"
import { OperationsRepo } from "./OperationsRepo.ts"
import { nameTaken, orNotFound, staleToken } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"
import { epochOf, type ScheduleStream, StreamsRepo } from "./StreamsRepo.ts"

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

const operationNotFound = new NotFound({ resource: "operation" })

const busy = new Conflict({
  code: "schedule_operation_open",
  detail: "Another operation of this schedule has not been answered. Wait for its end, then repeat the request."
})

const otherRequest = new Conflict({
  code: "idempotency_conflict",
  detail: "This request_id was used with another body. Use a new one for a new request."
})

/** The operation that is requested. */
interface Wanted {
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

/**
 * Operations on schedules of engines' own schedulers. Each is a command to the agent that publishes the schedule, and a
 * row that says how far it is (`OperationLoop.ts`). One constructor: `control` and `request` begin in the same way.
 */
export class ScheduleOperations extends Effect.Service<ScheduleOperations>()("svc/ScheduleOperations", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const repo = yield* OperationsRepo
    const schedules = yield* SchedulesRepo
    const streams = yield* StreamsRepo
    const agents = yield* AgentsRepo
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
          cause: {
            action: auditActions[operation],
            target_type: "schedule",
            target_id: subject?.schedule.id ?? null,
            project_id: project.id,
            metadata: {
              name: subject?.schedule.name ?? null,
              scheduler: stream.scheduler,
              operation_id: id,
              fields: namesOf(definition)
            }
          }
        }
      })
      return row
    })

    const findSchedule = Effect.fnUntraced(function*(id: ScheduleId) {
      const project = yield* CurrentProject
      return yield* orNotFound(yield* schedules.find(project.id, id))
    })

    /** Begins an operation of a schedule in the stream that it is shown by. The locks are those of a publication. */
    const beginLocked = Effect.fnUntraced(
      function*(id: ScheduleId, stream_id: ScheduleStreamId, wanted: Wanted, revision: number | null) {
        const project = yield* CurrentProject
        const stream = yield* streams.lock(project.id, stream_id)
        const schedule = yield* orNotFound(yield* schedules.lock(project.id, id))
        const claim = (yield* streams.listClaimsOf([id])).find(({ row, stream_id }) =>
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
        if ((yield* streams.findClaim(stream_id, null, name)) !== null) {
          return yield* nameTaken(scheduler, name)
        }
        return yield* begin(stream, null, wanted)
      },
      sql.withTransaction
    )

    /** Enables, disables, deletes or triggers a schedule of another scheduler. */
    const control = Effect.fn("ScheduleOperations.control")(
      function*(operation: "enable" | "disable" | "delete" | "trigger", id: ScheduleId) {
        const isToggle = operation === "enable" || operation === "disable"
        return yield* beginOn(yield* findSchedule(id), {
          operation,
          requestId: null,
          observedControlToken: null,
          definition: isToggle ? enablingDefinition(operation === "enable") : "{}",
          request: null
        })
      },
      orDieOnSql
    )

    /** The operation of an earlier request with this id; fails where that request was another one. */
    const findEarlier = Effect.fnUntraced(function*(requestId: string, request: string) {
      const project = yield* CurrentProject
      const earlier = yield* repo.findByRequest(project.id, requestId)
      if (Option.isNone(earlier)) return earlier
      const { id, sealed_request } = earlier.value
      const first = sealed_request === null
        ? Option.none()
        : yield* Effect.option(vault.open("schedule_operations.sealed_request", id, sealed_request))
      return Option.contains(first, request) ? earlier : yield* otherRequest
    })

    /** Changes schedules at their scheduler, once per `request_id`. `definition`: JSON text with all digits. */
    const request = Effect.fn("ScheduleOperations.request")(
      function*(body: NativeOperationRequest, definition: CanonicalText | null) {
        const { observed_control_token, operation, request_id, schedule_id, scheduler } = body
        const issues = requestIssues(body, definition?.text ?? "{}")
        if (issues.length > 0) return yield* new ValidationFailed({ issues })
        const text = canonicalize({ scheduler, operation, schedule_id, definition })
        const wanted: Wanted = {
          operation,
          requestId: request_id,
          observedControlToken: observed_control_token,
          definition: definition?.text ?? "{}",
          request: text
        }
        const earlier = yield* findEarlier(request_id, text)
        if (Option.isSome(earlier)) return earlier.value
        const schedule = schedule_id === null ? null : yield* findSchedule(schedule_id)
        if (schedule !== null && schedule.scheduler !== scheduler) {
          return yield* ValidationFailed.at("scheduler", `is not the schedule's scheduler, ${schedule.scheduler}`)
        }
        if (scheduler === serviceScheduler) {
          return yield* ValidationFailed.at(
            "scheduler",
            "is the service itself: create, change and delete the schedule"
          )
        }
        const begun = schedule === null
          ? beginCreation(scheduler, body.definition?.name ?? "", wanted)
          : beginOn(schedule, wanted)
        // the operation that keeps this one back may be that of the same request, sent twice at once
        return yield* Effect.catchIf(
          begun,
          (error) => error === busy,
          () =>
            Effect.flatMap(findEarlier(request_id, text), Option.match({ onNone: () => busy, onSome: Effect.succeed }))
        )
      },
      orDieOnSql
    )

    const get = Effect.fn("ScheduleOperations.get")(function*(id: ScheduleOperationId) {
      const project = yield* CurrentProject
      return yield* Option.match(yield* repo.find(project.id, id), {
        onNone: () => operationNotFound,
        onSome: Effect.succeed
      })
    }, orDieOnSql)

    /** As `get`, of an existing schedule: a creation has none. */
    const getControl = Effect.fn("ScheduleOperations.getControl")(function*(id: ScheduleOperationId) {
      return controlOperationOf(yield* get(id)) ?? (yield* operationNotFound)
    })

    /** What the schedulers of the project's engines can do, and who publishes their schedules. */
    const listCapabilities = Effect.fn("ScheduleOperations.listCapabilities")(function*() {
      const project = yield* CurrentProject
      const names = new Map((yield* agents.list(project.id)).map(({ id, name }) => [id, name]))
      return capabilitiesOf(yield* streams.listByProject(project.id), names)
    }, orDieOnSql)

    return { control, request, get, getControl, listCapabilities } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      AgentsRepo.layer,
      Commands.layer,
      OperationsRepo.layer,
      SchedulesRepo.layer,
      StreamsRepo.layer
    ])
  )
}

/** The names of a definition's fields. */
const namesOf = (definition: string): ReadonlyArray<string> => Object.keys(JSON.parse(definition))
