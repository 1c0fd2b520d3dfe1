import type { HttpClientResponse } from "@effect/platform"
import { Console, Effect, Option, Schema } from "effect"
import { ScheduleId } from "../../../domain/kernel/Id.ts"
import { type Timestamp, toEpochSeconds } from "../../../domain/kernel/Timestamp.ts"
import { findZone } from "../../../domain/kernel/Zone.ts"
import { isServiceOwned, type SchedulePublic } from "../../../domain/schedules/Schedule.ts"
import type { ScheduleFire } from "../../../domain/schedules/Schedule/Fire.ts"
import type { FleetEntry } from "../../../domain/schedules/Schedule/Fleet.ts"
import type { ScheduleMisfire } from "../../../domain/schedules/Schedule/Misfire.ts"
import { ControlOperationPublic } from "../../../domain/schedules/Schedule/Operation.ts"
import { type Preview, PreviewRequest, type Tick } from "../../../domain/schedules/Schedule/Preview.ts"
import { isAboutDefinition, outcomeUnknown } from "../../../domain/schedules/Schedule/Recovery.ts"
import { describeLocal } from "../../../domain/schedules/Schedule/Seconds.ts"
import { confirm } from "../../io/Confirm.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { ambiguous, notFound } from "../../io/Find.ts"
import { hasIdPart } from "../../io/ShortId.ts"
import { type Column, formatAge, formatFields, formatList, formatTable, idColumn } from "../../io/Table.ts"
import { escapeJson, escapeText, jsonMemberOf } from "../../io/TerminalText.ts"
import { CliError, describeError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import { decodeLimit, decodePage } from "../../remote/PageQuery.ts"
import { type ApiError, printResponse, type Remote } from "../../remote/Remote.ts"
import { awaitOperation, checkOperation } from "../ScheduleOperation.ts"
import type { definitions } from "../schedules.ts"

/** The brain computes the next tick of its own schedules: where there is none, there will be none. */
const hasEnded = (schedule: SchedulePublic): boolean => isServiceOwned(schedule) && schedule.next_run_at === null

const stateOf = (schedule: SchedulePublic): string => {
  const { is_enabled, paused_at, quarantined_at } = schedule
  if (!is_enabled) return "disabled"
  if (quarantined_at !== null) return "quarantined"
  if (paused_at !== null) return "paused"
  return hasEnded(schedule) ? "ended" : "enabled"
}

/** The next tick; null for a schedule that does not fire. */
const nextOf = (schedule: SchedulePublic): Timestamp | null =>
  stateOf(schedule) === "enabled" ? schedule.next_run_at : null

/** The minute of a tick on the clocks of the schedule's zone; in UTC where this Node.js does not know the zone. */
const formatTick = (at: Timestamp, timezone: string): string => {
  const second = toEpochSeconds(at)
  return describeLocal(second, findZone(timezone)?.segmentAt(second).offset ?? 0).slice(0, 16).replace("T", " ")
}

const zoneOf = ({ timezone }: SchedulePublic): string => (findZone(timezone) === null ? "UTC" : timezone)

const columns: ReadonlyArray<Column<SchedulePublic>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 16 },
  { head: "STATE", cell: stateOf },
  { head: "WHEN", cell: ({ expression }) => expression, maxLength: 40, minLength: 10 },
  {
    head: "NEXT",
    cell: (schedule) => {
      const next = nextOf(schedule)
      return next === null ? null : formatTick(next, schedule.timezone)
    }
  },
  { head: "ZONE", cell: zoneOf },
  { head: "FAILED", cell: ({ consecutive_failures }) => consecutive_failures || null, dropRank: 1, hidesEmpty: true },
  { head: "DRIFTED", cell: ({ is_drifted }) => (is_drifted ? "yes" : null), dropRank: 2, hidesEmpty: true },
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 8, dropRank: 3 },
  idColumn("ID", ({ id }) => id, { dropRank: 4 })
]

const decodeId = Schema.decodeOption(ScheduleId)

/** The path of the schedule of this name or id, or part of an id; each scheduler may have one of the name. */
export const pathOf = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    const id = decodeId(given.toLowerCase())
    if (Option.isSome(id)) return { slug, schedule_id: id.value }
    const pages = yield* listPages((urlParams) =>
      Effect.map(api.schedules.list({ path: { slug }, urlParams }), ({ items, next_cursor }) => ({
        next_cursor,
        // a page is not kept
        rows: items.filter(({ id, name }) => name === given || hasIdPart(id, given)).map(({ id, name, scheduler }) => ({
          id,
          name: `${name} of ${scheduler}`,
          isNamed: name === given
        }))
      }))
    )
    const rows = pages.flatMap((page) => page.rows)
    const named = rows.filter(({ isNamed }) => isNamed)
    const found = named.length === 0 ? rows : named
    const [only] = found
    if (only === undefined) return yield* notFound({ what: "schedule", given, listedBy: "svc schedules list" })
    if (found.length > 1) return yield* ambiguous("schedule", given, found)
    return { slug, schedule_id: only.id }
  })

/** What an operator does about a quarantine (docs/schedules.md). */
const describeNextStep = ({ id, quarantine_code, quarantine_control_token }: SchedulePublic): string | null => {
  if (quarantine_code === outcomeUnknown) {
    return `POST …/schedules/${id}/resolve-terminal-fire with observed_control_token ${quarantine_control_token}`
  }
  return isAboutDefinition(quarantine_code)
    ? "correct the definition: svc schedules import, or PATCH; once it is valid, the quarantine ends"
    : null
}

const formatSchedule = (schedule: SchedulePublic, text: string): string =>
  formatFields([
    ["schedule", schedule.id],
    ["name", schedule.name],
    ["state", stateOf(schedule)],
    ["scheduler", schedule.scheduler],
    ["engine", schedule.engine],
    ["task", schedule.task_name],
    ["queue", schedule.queue],
    ["args", jsonMemberOf(text, "args")],
    ["kwargs", jsonMemberOf(text, "kwargs")],
    [schedule.kind, schedule.expression],
    ["when", schedule.summary],
    ["timezone", schedule.timezone],
    ["jitter", schedule.jitter_seconds === 0 ? null : `${schedule.jitter_seconds} s`],
    ["catch up", schedule.catch_up],
    ["next", nextOf(schedule)],
    ["last", schedule.last_run_at],
    ["runs", schedule.total_runs],
    ["failed", schedule.consecutive_failures],
    ["skipped", schedule.skipped_slots_24h],
    ["paused", schedule.paused_at],
    ["quarantine", schedule.quarantine_detail ?? schedule.quarantine_code],
    ["next step", describeNextStep(schedule)],
    ["source", schedule.source],
    ["drifted", schedule.is_drifted ? "yes: svc schedules diff shows how" : null]
  ])

export const formatNext = (verb: string) => (schedule: SchedulePublic): string => {
  const next = nextOf(schedule)
  return escapeText(`${verb} ${schedule.name} (${schedule.id})${next === null ? "" : `, next at ${next}`}`)
}

type CallOfSchedule<A> = (
  schedules: Remote["api"]["schedules"],
  request: {
    readonly path: { readonly slug: string; readonly schedule_id: ScheduleId }
    readonly withResponse: true
  }
) => Effect.Effect<readonly [A, HttpClientResponse.HttpClientResponse], ApiError>

/** The output of an operation: `own` for a schedule of the service, `operation` for one of another scheduler. */
type Formats<A> = {
  readonly own: (schedule: A, given: string, response: HttpClientResponse.HttpClientResponse) => string
  readonly operation: string
}

const isOperation = Schema.is(Schema.typeSchema(ControlOperationPublic))

/** Makes a handler, which awaits the end of an operation that the schedule's own scheduler performs. */
const makeHandler = <A>(request: CallOfSchedule<A | ControlOperationPublic>, { operation, own }: Formats<A>) =>
  call(function*(remote, { json, schedule }: OptionsOf<typeof definitions.enable>) {
    const path = yield* pathOf(remote, schedule)
    const [body, response] = yield* request(remote.api.schedules, { path, withResponse: true })
    if (!isOperation(body)) {
      return yield* printResponse([body, response], json, () => own(body, schedule, response))
    }
    const ended = yield* awaitOperation(remote, body)
    const line = escapeText(`${operation} ${schedule} (${body.schedule_id}) at its scheduler`)
    if (json || ended[0].status === "succeeded") yield* printResponse(ended, json, () => line)
    yield* checkOperation(ended[0])
  })

const fireColumns: ReadonlyArray<Column<ScheduleFire>> = [
  { head: "TICK", cell: ({ scheduled_for }) => scheduled_for.slice(0, 19).replace("T", " ") },
  { head: "STATUS", cell: ({ status }) => status },
  { head: "FIRED", cell: ({ fired_at }, view) => formatAge(fired_at, view) },
  { head: "LATENCY", cell: ({ latency_ms }) => (latency_ms === null ? null : `${latency_ms} ms`), hidesEmpty: true },
  { head: "ERROR", cell: ({ error_message }) => error_message, maxLength: 80, minLength: 10, hidesEmpty: true },
  idColumn("COMMAND", ({ command_id }) => command_id, { dropRank: 1 })
]

const isPrograms = Schema.is(Schema.Array(Schema.Struct({ name: Schema.String, state: Schema.String })))

/** Who fires: the programs of the service's own entry, or the agent that publishes the schedules of an engine. */
const firedBy = ({ info }: FleetEntry): string | null => {
  const programs = info?.programs
  if (!isPrograms(programs)) return typeof info?.agent_name === "string" ? info.agent_name : null
  const names = programs.map(({ name, state }) => (state === "firing" ? name : `${name} (standby)`))
  return [...(info?.fired_by === "brain" ? ["the brain"] : []), ...names].join(", ") || null
}

const fleetColumns: ReadonlyArray<Column<FleetEntry>> = [
  { head: "SCHEDULER", cell: ({ info, url }) => (typeof info?.scheduler === "string" ? info.scheduler : url) },
  { head: "WORKS", cell: ({ ok }) => (ok === null ? "asked" : ok ? "yes" : "no") },
  { head: "FIRED BY", cell: firedBy, maxLength: 80, minLength: 12 },
  { head: "PROBLEM", cell: ({ error }) => error, maxLength: 200, minLength: 20, hidesEmpty: true }
]

const tickColumns: ReadonlyArray<Column<Tick>> = [
  { head: "LOCAL", cell: ({ local }) => local },
  { head: "UTC", cell: ({ at }) => at.slice(0, 19).replace("T", " ") },
  { head: "DST", cell: ({ dst }) => dst, hidesEmpty: true }
]

/** The first tick after the listed ones that a change of clocks moves or doubles, in a line. */
const describeNextDst = ({ next_dst, ticks }: Preview): ReadonlyArray<string> => {
  if (next_dst === null || next_dst.at <= (ticks.at(-1)?.at ?? "")) return []
  const effect = next_dst.dst === "gap"
    ? "clocks go forward: this local time does not exist that day, so it fires at the first moment after it"
    : "clocks go back: this local time comes twice that day"
  return [escapeText(`next change of clocks: ${next_dst.local}; ${effect}`)]
}

const misfireColumns: ReadonlyArray<Column<ScheduleMisfire>> = [
  { head: "SCHEDULE", cell: ({ name, schedule_id }) => name ?? schedule_id, maxLength: 60, minLength: 20 },
  { head: "TICK", cell: ({ expected_fire_at }) => expected_fire_at?.slice(0, 19).replace("T", " ") ?? null },
  { head: "TICKS", cell: ({ slots }) => slots },
  { head: "CAUSE", cell: ({ cause }) => cause },
  { head: "SEEN", cell: ({ detected_at }, view) => formatAge(detected_at, view) },
  { head: "DETAIL", cell: ({ detail }) => detail, maxLength: 80, minLength: 10, dropRank: 1, hidesEmpty: true }
]

/** The contract has one exit code for each failure of `svc misfires`: 2, which no empty list has. */
const asRefusal = (error: unknown) => new CliError({ message: describeError(error), code: 2 })

const listMisfires = call(function*(remote, { json, limit, schedule }: OptionsOf<typeof definitions.misfires>) {
  const { api, slug } = remote
  const urlParams = yield* decodeLimit(limit)
  const response = Option.isNone(schedule)
    ? yield* api.schedules.projectMisfires({ path: { slug }, urlParams, withResponse: true })
    : yield* api.schedules.misfires({ path: yield* pathOf(remote, schedule.value), urlParams, withResponse: true })
  if (json) return yield* Console.log(escapeJson(JSON.stringify({ project: slug, misfires: response[0] })))
  yield* printResponse(response, json, formatList(misfireColumns))
})

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, function*({ api, slug }, page) {
    return yield* api.schedules.list({ path: { slug }, urlParams: yield* decodePage(page), withResponse: true })
  }),
  show: show(function*(remote, { schedule }) {
    return yield* remote.api.schedules.get({ path: yield* pathOf(remote, schedule), withResponse: true })
  }, formatSchedule),
  history: list(fireColumns, function*(remote, { limit, schedule }) {
    const urlParams = yield* decodeLimit(limit)
    return yield* remote.api.schedules.fires({
      path: yield* pathOf(remote, schedule),
      urlParams,
      withResponse: true
    })
  }),
  preview: show(
    function*({ api, slug }, { count, expression, from, kind, timezone }) {
      const options = { expression, kind, timezone, from: Option.getOrNull(from), count }
      const payload = yield* decodeInput(PreviewRequest, options, "options")
      return yield* api.schedules.preview({ path: { slug }, payload, withResponse: true })
    },
    (preview, _text, view) =>
      [
        escapeText(preview.summary),
        formatTable(tickColumns, preview.ticks, view),
        ...describeNextDst(preview)
      ].join("\n")
  ),
  trigger: makeHandler<SchedulePublic>((schedules, request) => schedules.trigger(request), {
    own: ({ id, name }, _given, { headers }) => {
      const command = headers.location?.split("/").at(-1)
      return escapeText(
        `triggered ${name} (${id})${command === undefined ? "" : `: svc commands show ${command} shows its outcome`}`
      )
    },
    operation: "triggered"
  }),
  enable: makeHandler<SchedulePublic>((schedules, request) => schedules.enable(request), {
    own: formatNext("enabled"),
    operation: "enabled"
  }),
  disable: makeHandler<SchedulePublic>((schedules, request) => schedules.disable(request), {
    own: formatNext("disabled"),
    operation: "disabled"
  }),
  delete: ({ yes, ...options }) =>
    Effect.zipRight(
      confirm(yes, `Delete the schedule ${escapeText(options.schedule)}?`),
      makeHandler<void>((schedules, request) => schedules.delete(request), {
        own: (_deleted, given) => escapeText(`deleted ${given}`),
        operation: "deleted"
      })(options)
    ),
  pause: show(function*(remote, { schedule }) {
    return yield* remote.api.schedules.pause({ path: yield* pathOf(remote, schedule), withResponse: true })
  }, formatNext("paused")),
  resume: show(function*(remote, { schedule }) {
    return yield* remote.api.schedules.resume({ path: yield* pathOf(remote, schedule), withResponse: true })
  }, formatNext("resumed")),
  resync: show(
    ({ api, slug }) => api.schedules.resync({ path: { slug }, withResponse: true }),
    ({ agents_dispatched, schedulers_observed }) =>
      agents_dispatched === 0
        ? "no agent is connected that publishes the schedules of an engine"
        : escapeText(
          `asked ${agents_dispatched} ${agents_dispatched === 1 ? "agent" : "agents"}: ${
            schedulers_observed.join(", ")
          }`
        )
  ),
  schedulers: show(
    ({ api }) => api.schedulers.list({ withResponse: true }),
    ({ schedulers }, _text, view) => formatTable(fleetColumns, schedulers, view)
  ),
  misfires: (options) => Effect.mapError(listMisfires(options), asRefusal)
}
