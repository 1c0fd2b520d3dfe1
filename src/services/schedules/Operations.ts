import { Effect, Layer, Option } from "effect"
import { canonicalize, type CanonicalText } from "../../domain/kernel/CanonicalJson.ts"
import { Conflict, NotFound, ValidationFailed } from "../../domain/kernel/Errors.ts"
import type { ScheduleId, ScheduleOperationId } from "../../domain/kernel/Id.ts"
import { serviceScheduler } from "../../domain/schedules/Schedule.ts"
import { type NativeOperationRequest, requestIssues } from "../../domain/schedules/Schedule/Operation.ts"
import { capabilitiesOf } from "../../domain/schedules/Schedule/OperationCommand.ts"
import { controlOperationOf, enablingDefinition } from "../../domain/schedules/Schedule/OperationState.ts"
import { AgentsRepo } from "../agents/Repo.ts"
import { Commands } from "../commands/Commands.ts"
import { CurrentProject } from "../kernel/CurrentActor.ts"
import { Vault } from "../kernel/keys/Keys.ts"
import { orDieOnSql } from "../kernel/sql/Database.ts"
import { ClaimsRepo } from "./ClaimsRepo.ts"
import { busy, makeNewOperations, type Wanted } from "./NewOperations.ts"
import { OperationsRepo } from "./OperationsRepo.ts"
import { orNotFound } from "./Refusals.ts"
import { SchedulesRepo } from "./Repo.ts"
import { StreamsRepo } from "./StreamsRepo.ts"

const operationNotFound = new NotFound({ resource: "operation" })

const otherRequest = new Conflict({
  code: "idempotency_conflict",
  detail: "This request_id was used with another body. Use a new one for a new request."
})

/**
 * Operations on schedules of engines' own schedulers. Each is a command to the agent that publishes the schedule, and a
 * row that says how far it is (`OperationLoop.ts`).
 */
export class ScheduleOperations extends Effect.Service<ScheduleOperations>()("svc/ScheduleOperations", {
  effect: Effect.gen(function*() {
    const repo = yield* OperationsRepo
    const schedules = yield* SchedulesRepo
    const streams = yield* StreamsRepo
    const agents = yield* AgentsRepo
    const vault = yield* Vault
    const { beginCreation, beginOn } = yield* makeNewOperations

    const findSchedule = Effect.fnUntraced(function*(id: ScheduleId) {
      const project = yield* CurrentProject
      return yield* orNotFound(yield* schedules.find(project.id, id))
    })

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
      return yield* Effect.mapError(yield* repo.find(project.id, id), () => operationNotFound)
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
      ClaimsRepo.layer,
      Commands.layer,
      OperationsRepo.layer,
      SchedulesRepo.layer,
      StreamsRepo.layer
    ])
  )
}
