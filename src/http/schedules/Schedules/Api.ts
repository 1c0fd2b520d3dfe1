import { HttpApiEndpoint, HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { Access, type AccessRule } from "../../../domain/kernel/Access.ts"
import { describeField, exampleId } from "../../../domain/kernel/Describe.ts"
import { caseInsensitiveId, ScheduleId, ScheduleOperationId } from "../../../domain/kernel/Id.ts"
import { pageQuery, wholeNumber } from "../../../domain/kernel/Query.ts"
import {
  CreateScheduleRequest,
  ScheduleList,
  SchedulePublic,
  UpdateScheduleRequest
} from "../../../domain/schedules/Schedule.ts"
import { ScheduleFire, ScheduleRuns } from "../../../domain/schedules/Schedule/Fire.ts"
import { ResyncSchedulesResponse } from "../../../domain/schedules/Schedule/Fleet.ts"
import {
  DiffSchedulesResponse,
  ImportSchedulesRequest,
  ImportSchedulesResponse
} from "../../../domain/schedules/Schedule/Import.ts"
import { ScheduleMisfire } from "../../../domain/schedules/Schedule/Misfire.ts"
import {
  ControlOperationPublic,
  NativeCapabilities,
  NativeOperationPublic,
  NativeOperationRequest
} from "../../../domain/schedules/Schedule/Operation.ts"
import { Preview, PreviewRequest } from "../../../domain/schedules/Schedule/Preview.ts"
import {
  LegacyFireGrantRequest,
  ResolveLegacyEvidenceRequest,
  ResolveLegacyEvidenceResponse,
  ResolveTerminalFireRequest,
  ResolveTerminalFireResponse
} from "../../../domain/schedules/Schedule/Recovery.ts"
import { pathWithVerb } from "../../CustomMethods.ts"
import { pathParameter } from "../../Docs/Parameters.ts"
import { operation } from "../../Docs/Tags.ts"
import { projectGroup } from "../../Groups.ts"
import { slug } from "../../ProjectPath.ts"

const ScheduleIdInput = caseInsensitiveId(ScheduleId)
const scheduleId = pathParameter("schedule_id", ScheduleIdInput, "The schedule's id.", exampleId)

const operationId = pathParameter(
  "operation_id",
  caseInsensitiveId(ScheduleOperationId),
  "The operation's id.",
  exampleId
)

/** Rows of a list, newest first, at most 1000. */
const limitUpTo1000 = (fallback: number) => ({
  limit: describeField(
    Schema.optional(wholeNumber(1, 1000)),
    `The most rows, newest first; ${fallback} without it.`,
    fallback
  )
})

/** A query parameter that may be repeated. */
const repeated = <A, I>(item: Schema.Schema<A, I>) =>
  Schema.transform(Schema.Union(Schema.String, Schema.Array(Schema.String)), Schema.Array(Schema.String), {
    strict: true,
    decode: (value) => (typeof value === "string" ? [value] : value),
    encode: (items) => items
  }).pipe(Schema.compose(Schema.Array(item), { strict: false }))

/** Most schedules of one request for runs (interface, Limits). */
const maxRunIds = 500

const RunsQuery = Schema.Struct({
  id: describeField(
    Schema.optionalWith(
      repeated(ScheduleIdInput).pipe(
        Schema.maxItems(maxRunIds, { message: () => `must be at most ${maxRunIds} ids` })
      ),
      { default: () => [] }
    ),
    "The id of a schedule; repeat it for more, at most 500. Ids of other projects are left out.",
    [exampleId]
  ),
  limit: describeField(Schema.optional(wholeNumber(1, 50)), "The most fires of each schedule.", 20)
})

const ListQuery = Schema.Struct({
  cursor: pageQuery.cursor,
  limit: describeField(Schema.optional(wholeNumber(1, 500)), "Rows of a page; 50 without it.", 50)
})

const readRule: AccessRule = { caller: "viewer", scope: "schedules:read" }
const operateRule: AccessRule = {
  caller: "operator",
  scope: "schedules:write",
  mutates: true,
  failureCodes: ["schedule_externally_owned"]
}
const writeRule: AccessRule = { ...operateRule, caller: "admin" }

const resolveCodes = [
  "schedule_externally_owned",
  "stale_control_token",
  "fire_not_resolvable",
  "fire_already_resolved"
] as const

/** Why an operation of another scheduler's schedule cannot begin. */
const operationCodes = [
  "schedule_publisher_offline",
  "schedule_operation_unsupported",
  "schedule_operation_open"
] as const
const actRule: AccessRule = { ...operateRule, failureCodes: operationCodes }
const isOperation = "Of a schedule that another scheduler owns: 202, and `Location` names the operation."

/** A snapshot: 2000 schedules of 4 KiB. All of 64 KiB arguments would be 256 MiB, more than a brain holds of a request. */
const snapshotBytes = 8 * 1024 * 1024

/** Schedules (interface, Schedules; bodies: schedules). */
export class SchedulesApi extends projectGroup("schedules", "Schedules")
  .add(
    HttpApiEndpoint.get("list")`/projects/${slug}/schedules`
      .setUrlParams(ListQuery)
      .addSuccess(ScheduleList)
      .annotate(Access, readRule)
      .annotateContext(operation("List schedules", "By name. Each has its failed fires in a row."))
  )
  .add(
    HttpApiEndpoint.get("runs")`/projects/${slug}/schedules/runs`
      .setUrlParams(RunsQuery)
      .addSuccess(ScheduleRuns)
      .annotate(Access, readRule)
      .annotateContext(operation("Show the newest fires of several schedules", "In short, for a list of schedules."))
  )
  .add(
    HttpApiEndpoint.get("projectMisfires")`/projects/${slug}/schedules/misfires`
      .setUrlParams(Schema.Struct(limitUpTo1000(50)))
      .addSuccess(Schema.Array(ScheduleMisfire))
      .annotate(Access, readRule)
      .annotateContext(operation("List the project's misfires", "Ticks that did not fire in time, newest first."))
  )
  .add(
    HttpApiEndpoint.post("preview")`/projects/${slug}/schedules:preview`
      .setPath(pathWithVerb("preview"))
      .setPayload(PreviewRequest)
      .addSuccess(Preview)
      .annotate(Access, readRule)
      .annotateContext(operation(
        "Preview a cadence",
        "The next ticks in local time, the expression in words, and what is caught up after an outage. Nothing is written."
      ))
  )
  .add(
    HttpApiEndpoint.post("import")`/projects/${slug}/schedules:import`
      .setPath(pathWithVerb("import"))
      .setPayload(ImportSchedulesRequest)
      .addSuccess(ImportSchedulesResponse)
      .annotate(Access, {
        caller: "admin",
        scope: "schedules:write",
        heavy: "always",
        mutates: true,
        stepUp: true,
        destructive: true,
        bodyLimit: snapshotBytes
      })
      .annotateContext(operation(
        "Import schedules",
        "Writes a snapshot of one source: all of it, or nothing if a schedule is invalid. Undoes changes by people."
      ))
  )
  .add(
    HttpApiEndpoint.post("resync")`/projects/${slug}/schedules:resync`
      .setPath(pathWithVerb("resync"))
      .addSuccess(ResyncSchedulesResponse, { status: 202 })
      .annotate(Access, { caller: "admin", scope: "schedules:write", mutates: true, bucket: "bulk_write" })
      .annotateContext(operation(
        "Read the schedules of engines' own schedulers again",
        "Asks the connected agents for snapshots. A schedule that its snapshot lacks is deleted."
      ))
  )
  .add(
    HttpApiEndpoint.post("diff")`/projects/${slug}/schedules:diff`
      .setPath(pathWithVerb("diff"))
      .setPayload(ImportSchedulesRequest)
      .addSuccess(DiffSchedulesResponse)
      .annotate(Access, { caller: "admin", scope: "schedules:write", bodyLimit: snapshotBytes })
      .annotateContext(operation("Compare a snapshot", "Shows what its import would do. Nothing is written."))
  )
  .add(
    HttpApiEndpoint.get("get")`/projects/${slug}/schedules/${scheduleId}`
      .addSuccess(SchedulePublic)
      .annotate(Access, readRule)
      .annotateContext(operation("Show a schedule", "With its failed fires in a row."))
  )
  .add(
    HttpApiEndpoint.post("create")`/projects/${slug}/schedules`
      .setPayload(CreateScheduleRequest)
      .addSuccess(SchedulePublic, { status: 201 })
      .annotate(Access, {
        caller: "admin",
        scope: "schedules:write",
        mutates: true,
        creates: true,
        stepUp: true,
        failureCodes: ["schedule_name_taken"]
      })
      .annotateContext(operation(
        "Create a schedule",
        "The service fires it. Schedules of an engine's own scheduler are created there; its agent reports them."
      ))
  )
  .add(
    HttpApiEndpoint.patch("update")`/projects/${slug}/schedules/${scheduleId}`
      .setPayload(UpdateScheduleRequest)
      .addSuccess(SchedulePublic)
      .annotate(Access, { ...writeRule, stepUp: true })
      .annotateContext(operation(
        "Change a schedule",
        "Absent fields stay. A changed cadence begins with the next tick after now. Name, scheduler and source cannot change."
      ))
  )
  .add(
    HttpApiEndpoint.del("delete")`/projects/${slug}/schedules/${scheduleId}`
      .addSuccess(HttpApiSchema.Empty(204)) // NoContent is the default, which another success replaces
      .addSuccess(ControlOperationPublic, { status: 202 })
      .annotate(Access, { ...actRule, caller: "admin", stepUp: true, destructive: true })
      .annotateContext(operation("Delete a schedule", `Its fires stay until their retention ends. ${isOperation}`))
  )
  .add(
    HttpApiEndpoint.post("enable")`/projects/${slug}/schedules/${scheduleId}/enable`
      .addSuccess(SchedulePublic)
      .addSuccess(ControlOperationPublic, { status: 202 })
      .annotate(Access, actRule)
      .annotateContext(operation(
        "Enable a schedule",
        `It begins with the next tick after now: nothing is caught up. ${isOperation}`
      ))
  )
  .add(
    HttpApiEndpoint.post("disable")`/projects/${slug}/schedules/${scheduleId}/disable`
      .addSuccess(SchedulePublic)
      .addSuccess(ControlOperationPublic, { status: 202 })
      .annotate(Access, actRule)
      .annotateContext(operation("Disable a schedule", `It does not fire until it is enabled. ${isOperation}`))
  )
  .add(
    HttpApiEndpoint.post("pause")`/projects/${slug}/schedules/${scheduleId}/pause`
      .addSuccess(SchedulePublic)
      .annotate(Access, operateRule)
      .annotateContext(operation(
        "Pause a schedule",
        "It does not fire until it is resumed. A schedule that is paused keeps the time of its first pause."
      ))
  )
  .add(
    HttpApiEndpoint.post("resume")`/projects/${slug}/schedules/${scheduleId}/resume`
      .addSuccess(SchedulePublic)
      .annotate(Access, operateRule)
      .annotateContext(operation(
        "Resume a schedule",
        "Its `catch_up` decides what happens with the ticks that passed while it was paused."
      ))
  )
  .add(
    HttpApiEndpoint.post("trigger")`/projects/${slug}/schedules/${scheduleId}/trigger`
      .addSuccess(SchedulePublic)
      .addSuccess(ControlOperationPublic, { status: 202 })
      .annotate(Access, { ...operateRule, bucket: "bulk_write", failureCodes: [...operationCodes, "no_agent"] })
      .annotateContext(operation(
        "Submit a schedule's task now",
        `By a command, which the header \`Location\` names. No fire is recorded, and the next tick stays. ${isOperation}`
      ))
  )
  .add(
    HttpApiEndpoint.post("resolveTerminalFire")`/projects/${slug}/schedules/${scheduleId}/resolve-terminal-fire`
      .setPayload(ResolveTerminalFireRequest)
      .addSuccess(ResolveTerminalFireResponse)
      .annotate(Access, {
        ...operateRule,
        failureCodes: [...resolveCodes, "command_status_changed"]
      })
      .annotateContext(operation(
        "Resolve a fire with an unknown outcome",
        "It was sent, and its agent reported no result. Ends the quarantine when no other fire is left. Nothing is sent again."
      ))
  )
  .add(
    HttpApiEndpoint.post("resolveLegacyEvidence")`/projects/${slug}/schedules/${scheduleId}/resolve-legacy-evidence`
      .setPayload(ResolveLegacyEvidenceRequest)
      .addSuccess(ResolveLegacyEvidenceResponse)
      .annotate(Access, { ...operateRule, failureCodes: resolveCodes })
      .annotateContext(operation(
        "Resolve evidence of a fire from before fencing",
        "A command whose fire is not recorded, or a recorded fire without a command. Its tick never fires again."
      ))
  )
  .add(
    HttpApiEndpoint.post("legacyFireGrant")`/projects/${slug}/schedules/${scheduleId}/legacy-fire-grant`
      .setPayload(LegacyFireGrantRequest)
      .addSuccess(SchedulePublic)
      .annotate(Access, {
        ...writeRule,
        failureCodes: ["schedule_externally_owned", "stale_control_token", "schedule_quarantined"]
      })
      .annotateContext(operation(
        "Let a scheduler without fencing fire",
        "Until the next operation on the schedule. Only while no other replica of that scheduler fires."
      ))
  )
  .add(
    HttpApiEndpoint.get("controlOperation")`/projects/${slug}/schedules/external-control-operations/${operationId}`
      .addSuccess(ControlOperationPublic)
      .annotate(Access, readRule)
      .annotateContext(operation(
        "Show an operation on another scheduler's schedule",
        "How far it is: what the agent reported, and what it has published since."
      ))
  )
  .add(
    HttpApiEndpoint.get("nativeCapabilities")`/projects/${slug}/schedules/native-capabilities`
      .addSuccess(NativeCapabilities)
      .annotate(Access, readRule)
      .annotateContext(operation(
        "Show what other schedulers can do",
        "For each scheduler of the project's engines: who publishes its schedules, and which operations it takes."
      ))
  )
  .add(
    HttpApiEndpoint.post("requestNative")`/projects/${slug}/schedules/native-operations`
      .setPayload(NativeOperationRequest)
      .addSuccess(NativeOperationPublic, { status: 202 })
      .annotate(Access, {
        ...actRule,
        caller: "admin",
        stepUp: true,
        destructive: true,
        failureCodes: [...operationCodes, "stale_control_token", "schedule_name_taken", "idempotency_conflict"]
      })
      .annotateContext(operation(
        "Change a schedule at its own scheduler",
        "Creates, updates, deletes or triggers. A repetition with the same `request_id` does nothing more."
      ))
  )
  .add(
    HttpApiEndpoint.get("nativeOperation")`/projects/${slug}/schedules/native-operations/${operationId}`
      .addSuccess(NativeOperationPublic)
      .annotate(Access, readRule)
      .annotateContext(operation("Show a change of another scheduler's schedule", "How far it is, and why it failed."))
  )
  .add(
    HttpApiEndpoint.get("fires")`/projects/${slug}/schedules/${scheduleId}/fires`
      .setUrlParams(Schema.Struct(limitUpTo1000(100)))
      .addSuccess(Schema.Array(ScheduleFire))
      .annotate(Access, readRule)
      .annotateContext(operation("List a schedule's fires", "Newest tick first; of schedules that the service fires."))
  )
  .add(
    HttpApiEndpoint.get("misfires")`/projects/${slug}/schedules/${scheduleId}/misfires`
      .setUrlParams(Schema.Struct(limitUpTo1000(50)))
      .addSuccess(Schema.Array(ScheduleMisfire))
      .annotate(Access, readRule)
      .annotateContext(operation("List a schedule's misfires", "Ticks that did not fire in time, newest first."))
  )
{}
