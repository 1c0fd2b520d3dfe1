import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { JsonArray, type JsonNode, JsonObject } from "../../domain/CanonicalJson.ts"
import { ValidationFailed } from "../../domain/Errors.ts"
import { fixedFields, scheduleJson } from "../../domain/Schedule.ts"
import type { ImportSchedulesRequest } from "../../domain/Schedule/Import.ts"
import { CurrentProject } from "../../services/CurrentActor.ts"
import { type CountedSchedule, Schedules } from "../../services/Schedules.ts"
import { ScheduleFleet } from "../../services/Schedules/Fleet.ts"
import { ScheduleImports } from "../../services/Schedules/Imports.ts"
import { ScheduleRecovery } from "../../services/Schedules/Recovery.ts"
import { exactMember, readExactBody } from "../ExactJson.ts"
import { implementGroup } from "../ImplementGroup.ts"
import { respondWithJsonText } from "../JsonText.ts"

const jsonOf = ({ counts, schedule }: CountedSchedule): string => scheduleJson(schedule, counts)

/** Responses are spliced from the stored JSON texts, so that arguments keep their digits. */
const respond = Effect.map((counted: CountedSchedule) => respondWithJsonText(jsonOf(counted)))

const respondToResolution = Effect.map(({ schedule, ...rest }: { readonly schedule: CountedSchedule }) =>
  respondWithJsonText(`${JSON.stringify(rest).slice(0, -1)},"schedule":${jsonOf(schedule)}}`)
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

const refuseFixedFields = (body: JsonNode) => {
  const issues = fixedFields.flatMap((path) =>
    exactMember(body, path) === null ? [] : [{ path, message: "cannot be changed; create another schedule" }]
  )
  return issues.length > 0 ? new ValidationFailed({ issues }) : Effect.void
}

export const layerSchedulers = implementGroup(
  "schedulers",
  Effect.fnUntraced(function*(handlers) {
    const fleet = yield* ScheduleFleet
    return handlers.handle("list", () => fleet.list())
  })
)

export const layer = implementGroup(
  "schedules",
  Effect.fnUntraced(function*(handlers) {
    const schedules = yield* Schedules
    const imports = yield* ScheduleImports
    const fleet = yield* ScheduleFleet
    const recovery = yield* ScheduleRecovery
    return handlers
      .handle("list", ({ urlParams: { cursor = null, limit = 50 } }) =>
        Effect.map(
          schedules.list({ cursor, limit }),
          ({ items, ...rest }) =>
            respondWithJsonText(`${JSON.stringify(rest).slice(0, -1)},"items":[${items.map(jsonOf).join(",")}]}`)
        ))
      .handle("runs", ({ urlParams: { id, limit = 20 } }) => schedules.listRuns(id, limit))
      .handle("projectMisfires", ({ urlParams: { limit = 50 } }) => schedules.listMisfires(null, limit))
      .handle("preview", ({ payload }) => schedules.preview(payload))
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
          return respondWithJsonText(jsonOf(yield* schedules.create({ ...payload, args, kwargs })), 201)
        }))
      .handle("update", ({ path, payload: { overlap_policy: _, ...payload }, request }) =>
        Effect.gen(function*() {
          const body = yield* readExactBody(request)
          yield* refuseFixedFields(body)
          const changes = { ...payload, args: exactText(body, "args"), kwargs: exactText(body, "kwargs") }
          return respondWithJsonText(jsonOf(yield* schedules.update(path.schedule_id, changes)))
        }))
      .handle("delete", ({ path }) => schedules.remove(path.schedule_id))
      .handle("enable", ({ path }) => respond(schedules.enable(path.schedule_id)))
      .handle("disable", ({ path }) => respond(schedules.disable(path.schedule_id)))
      .handle("pause", ({ path }) => respond(schedules.pause(path.schedule_id)))
      .handle("resume", ({ path }) => respond(schedules.resume(path.schedule_id)))
      .handle("trigger", ({ path }) =>
        Effect.gen(function*() {
          const { slug } = yield* CurrentProject
          const triggered = yield* schedules.trigger(path.schedule_id)
          return HttpServerResponse.setHeader(
            respondWithJsonText(jsonOf(triggered)),
            "location",
            `/api/v1/projects/${slug}/commands/${triggered.command.id}`
          )
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
      .handle("fires", ({ path, urlParams: { limit = 100 } }) => schedules.listFires(path.schedule_id, limit))
      .handle("misfires", ({ path, urlParams: { limit = 50 } }) => schedules.listMisfires(path.schedule_id, limit))
  })
)
