import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import {
  canonicalize,
  CanonicalText,
  JsonArray,
  type JsonNode,
  JsonObject
} from "../../../domain/kernel/CanonicalJson.ts"
import { ValidationFailed } from "../../../domain/kernel/Errors.ts"
import type { ScheduleId } from "../../../domain/kernel/Id.ts"
import { languageOf } from "../../../domain/kernel/Language.ts"
import { fixedFields, scheduleJson } from "../../../domain/schedules/Schedule.ts"
import type { ImportSchedulesRequest } from "../../../domain/schedules/Schedule/Import.ts"
import { definitionNames } from "../../../domain/schedules/Schedule/Operation.ts"
import { controlOperationOf, nativeOperationOf } from "../../../domain/schedules/Schedule/OperationState.ts"
import { canReadPayload, CurrentProject } from "../../../services/kernel/CurrentActor.ts"
import { ScheduleFleet } from "../../../services/schedules/Fleet.ts"
import { ScheduleImports } from "../../../services/schedules/Imports.ts"
import { ScheduleOperations } from "../../../services/schedules/Operations.ts"
import { ScheduleRecovery } from "../../../services/schedules/Recovery.ts"
import type { CountedSchedule } from "../../../services/schedules/ScheduleReads.ts"
import { Schedules } from "../../../services/schedules/Schedules.ts"
import { exactMember, readExactBody } from "../../ExactJson.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"

const requestLanguage = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ headers }) => languageOf(headers["accept-language"])
)

/** Writes schedules from the stored JSON texts, so that arguments keep their digits; null for who may not see them. */
const makeWriter = Effect.zipWith(
  canReadPayload,
  requestLanguage,
  (hasPayload, language) => ({ counts, schedule }: CountedSchedule): string =>
    scheduleJson(hasPayload ? schedule : { ...schedule, args: "null", kwargs: "null" }, counts, language)
)

const respondWith = (status: number) =>
  Effect.flatMap((counted: CountedSchedule) =>
    Effect.map(makeWriter, (write) => respondWithJsonText(write(counted), status))
  )
const respond = respondWith(200)

const respondToResolution = Effect.flatMap(({ schedule, ...rest }: { readonly schedule: CountedSchedule }) =>
  Effect.map(
    makeWriter,
    (write) => respondWithJsonText(`${JSON.stringify(rest).slice(0, -1)},"schedule":${write(schedule)}}`)
  )
)

/** The member as the caller wrote it; undefined where it is absent or null. */
const exactText = (body: JsonNode, name: "args" | "kwargs"): string | undefined => {
  const text = exactMember(body, name)?.text
  return text === "null" ? undefined : text
}

/** A snapshot with the arguments of each schedule as the caller wrote them. */
const withExactArguments = ({ schedules, ...rest }: typeof ImportSchedulesRequest.Type, body: JsonNode) => {
  const list = body instanceof JsonObject ? body.get("schedules") : undefined
  const rows = list instanceof JsonArray ? list.items : []
  return {
    ...rest,
    schedules: schedules.map(({ overlap_policy: _, ...schedule }, index) => {
      const row = rows[index] ?? ""
      return { ...schedule, args: exactText(row, "args") ?? "[]", kwargs: exactText(row, "kwargs") ?? "{}" }
    })
  }
}

/** 202: the operation as it begins, and where to read its progress. */
const respondAccepted = (slug: string, path: string, id: string, body: unknown) =>
  HttpServerResponse.setHeader(
    respondWithJsonText(JSON.stringify(body), 202),
    "location",
    `/api/v1/projects/${slug}/schedules/${path}/${id}`
  )

/** The fields of a definition as the caller wrote them; null where there is none. */
const exactDefinition = (body: JsonNode): CanonicalText | null => {
  const node = body instanceof JsonObject ? body.get("definition") : undefined
  if (!(node instanceof JsonObject)) return null
  const members = definitionNames.flatMap((name) => {
    const member = exactMember(node, name)
    return member === null ? [] : [[name, member] as const]
  })
  return new CanonicalText(canonicalize(Object.fromEntries(members)))
}

const refuseFixedFields = (body: JsonNode) => {
  const issues = fixedFields.flatMap((path) =>
    exactMember(body, path) === null ? [] : [{ path, message: "cannot be changed; create another schedule" }]
  )
  return issues.length > 0 ? new ValidationFailed({ issues }) : Effect.void
}

export const layer = implementGroup("schedules", function*(handlers) {
  const schedules = yield* Schedules
  const imports = yield* ScheduleImports
  const fleet = yield* ScheduleFleet
  const recovery = yield* ScheduleRecovery
  const operations = yield* ScheduleOperations

  /** What the service fires is changed here, what another scheduler owns by an operation of its agent. */
  const controlByOwner = <E, R>(
    operation: "enable" | "disable" | "delete" | "trigger",
    id: ScheduleId,
    own: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.gen(function*() {
      if (yield* schedules.isOwned(id)) return yield* own
      const { slug } = yield* CurrentProject
      const begun = yield* operations.control(operation, id)
      return respondAccepted(slug, "external-control-operations", begun.id, controlOperationOf(begun))
    })

  return handlers
    .handle("list", ({ urlParams: { cursor = null, limit = 50 } }) =>
      Effect.gen(function*() {
        const { items, ...rest } = yield* schedules.list({ cursor, limit })
        const write = yield* makeWriter
        return respondWithJsonText(`${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(write).join(",")}]}`)
      }))
    .handle("runs", ({ urlParams: { id, limit = 20 } }) => schedules.listRuns(id, limit))
    .handle("projectMisfires", ({ urlParams: { limit = 50 } }) => schedules.listMisfires(null, limit))
    .handle(
      "preview",
      ({ payload }) => Effect.flatMap(requestLanguage, (language) => schedules.preview(payload, language))
    )
    .handle(
      "import",
      ({ payload, request }) =>
        Effect.flatMap(readExactBody(request), (body) => imports.import(withExactArguments(payload, body)))
    )
    .handle("diff", ({ payload, request }) =>
      Effect.flatMap(
        readExactBody(request),
        (body) => Effect.map(imports.diff(withExactArguments(payload, body)), (text) => respondWithJsonText(text))
      ))
    .handle("resync", () => fleet.resync())
    .handle("get", ({ path }) => respond(schedules.get(path.schedule_id)))
    .handle("create", ({ payload: { overlap_policy: _, ...payload }, request }) =>
      Effect.gen(function*() {
        const body = yield* readExactBody(request)
        const args = exactText(body, "args") ?? "[]"
        const kwargs = exactText(body, "kwargs") ?? "{}"
        return yield* respondWith(201)(schedules.create({ ...payload, args, kwargs }))
      }))
    .handle("update", ({ path, payload: { overlap_policy: _, ...payload }, request }) =>
      Effect.gen(function*() {
        const body = yield* readExactBody(request)
        yield* refuseFixedFields(body)
        const changes = { ...payload, args: exactText(body, "args"), kwargs: exactText(body, "kwargs") }
        return yield* respond(schedules.update(path.schedule_id, changes))
      }))
    .handle("delete", ({ path }) =>
      controlByOwner(
        "delete",
        path.schedule_id,
        Effect.as(schedules.remove(path.schedule_id), HttpServerResponse.empty({ status: 204 }))
      ))
    .handle(
      "enable",
      ({ path }) => controlByOwner("enable", path.schedule_id, respond(schedules.enable(path.schedule_id)))
    )
    .handle(
      "disable",
      ({ path }) => controlByOwner("disable", path.schedule_id, respond(schedules.disable(path.schedule_id)))
    )
    .handle("pause", ({ path }) => respond(schedules.pause(path.schedule_id)))
    .handle("resume", ({ path }) => respond(schedules.resume(path.schedule_id)))
    .handle("trigger", ({ path }) =>
      controlByOwner(
        "trigger",
        path.schedule_id,
        Effect.gen(function*() {
          const { slug } = yield* CurrentProject
          const triggered = yield* schedules.trigger(path.schedule_id)
          return HttpServerResponse.setHeader(
            yield* respond(Effect.succeed(triggered)),
            "location",
            `/api/v1/projects/${slug}/commands/${triggered.command.id}`
          )
        })
      ))
    .handle("controlOperation", ({ path }) => operations.getControl(path.operation_id))
    .handle("nativeCapabilities", () => operations.listCapabilities())
    .handle("requestNative", ({ payload, request }) =>
      Effect.gen(function*() {
        const definition = exactDefinition(yield* readExactBody(request))
        const { slug } = yield* CurrentProject
        const begun = nativeOperationOf(yield* operations.request(payload, definition))
        return respondAccepted(slug, "native-operations", begun.id, begun)
      }))
    .handle(
      "resolveTerminalFire",
      ({ path, payload }) => respondToResolution(recovery.resolveTerminalFire(path.schedule_id, payload))
    )
    .handle("resolveLegacyEvidence", ({ path, payload }) =>
      respondToResolution(Effect.map(
        recovery.resolveLegacyEvidence(path.schedule_id, payload),
        ({ grant_carried: _, ...result }) => result
      )))
    .handle(
      "legacyFireGrant",
      ({ path, payload }) => respond(recovery.legacyFireGrant(path.schedule_id, payload))
    )
    .handle("nativeOperation", ({ path }) => Effect.map(operations.get(path.operation_id), nativeOperationOf))
    .handle("fires", ({ path, urlParams: { limit = 100 } }) => schedules.listFires(path.schedule_id, limit))
    .handle("misfires", ({ path, urlParams: { limit = 50 } }) => schedules.listMisfires(path.schedule_id, limit))
})
