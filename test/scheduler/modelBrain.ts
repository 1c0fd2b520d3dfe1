import { Effect, Stream } from "effect"
import { Id, ProjectId, ScheduleId } from "../../src/domain/kernel/Id.ts"
import type { Timestamp } from "../../src/domain/kernel/Timestamp.ts"
import { fireIdOf } from "../../src/domain/schedules/Schedule/FireId.ts"
import { Brain, BrainUnavailable, type Handover, type HandoverOutcome } from "../../src/scheduler/Brain.ts"
import type { KnownSchedule } from "../../src/scheduler/KnownSchedule.ts"
import { time } from "../domain/schedules/Schedule/cadences.ts"

export const projectId = ProjectId.make("018f4a2b-0000-7000-8000-00000000000a")

/** What happens with a call: it gets a response, or the request or the response is lost. */
export type Fault = "none" | "request_lost" | "response_lost"

/** A schedule that ticks each second from 00:00:01 on. */
export const everySecond = (number: number, changes: Partial<KnownSchedule> = {}): KnownSchedule => ({
  id: ScheduleId.make(`018f4a2b-0000-7000-8000-00000000000${number}`),
  project_id: projectId,
  name: `schedule ${number}`,
  kind: "interval",
  expression: "1",
  timezone: "UTC",
  catch_up: "fire_all_missed",
  jitter_seconds: 0,
  grace_seconds: 60,
  anchor_at: time("2026-01-01T00:00:00Z"),
  is_enabled: true,
  control_token: "1",
  definition_digest: "1",
  schedule_revision: 1,
  last_run_at: null,
  next_run_at: time("2026-01-01T00:00:01Z"),
  ...changes
})

/**
 * The rules of the brain's side (`services/schedules/SchedulerProtocol.ts`) in memory: a request changes a schedule only
 * while token, definition, revision and cursor are those that it names, and a repetition gets the first response.
 */
export const makeModelBrain = () => {
  const schedules = new Map<ScheduleId, KnownSchedule>()
  /** Ticks by fire id. */
  const fires = new Map<string, { readonly id: ScheduleId; readonly tick: Timestamp }>()
  const skipped: Array<{ readonly id: ScheduleId; readonly through: Timestamp }> = []
  const state = { revision: 1, fault: (): Fault => "none" }

  const put = (schedule: KnownSchedule): KnownSchedule => {
    const stored = { ...schedule, schedule_revision: ++state.revision }
    schedules.set(schedule.id, stored)
    return stored
  }

  const decide = (handover: Handover, kind: "fire" | "skip"): HandoverOutcome => {
    const { prepared_next_run_at, schedule: seen, tick } = handover
    const live = schedules.get(seen.id)
    if (live === undefined) return { _tag: "Refresh", reason: "there is none" }
    const accept = (schedule: KnownSchedule): HandoverOutcome => ({
      _tag: "Accepted",
      revision: schedule.schedule_revision,
      last_run_at: schedule.last_run_at,
      next_run_at: schedule.next_run_at
    })
    const fireId = fireIdOf(seen.id, tick)
    if (kind === "fire" && fires.has(fireId)) {
      return live.last_run_at === tick && live.next_run_at === prepared_next_run_at &&
          live.schedule_revision > seen.schedule_revision
        ? accept(live)
        : { _tag: "Refresh", reason: "it has fired" }
    }
    const isSame = live.control_token === seen.control_token && live.definition_digest === seen.definition_digest &&
      live.schedule_revision === seen.schedule_revision && live.next_run_at === seen.next_run_at && live.is_enabled
    if (!isSame || live.next_run_at === null || tick < live.next_run_at) {
      return { _tag: "Refresh", reason: "it is another one" }
    }
    if (kind === "fire") fires.set(fireId, { id: seen.id, tick })
    else skipped.push({ id: seen.id, through: tick })
    return accept(put({
      ...live,
      last_run_at: kind === "fire" ? tick : live.last_run_at,
      next_run_at: prepared_next_run_at
    }))
  }

  const call = (kind: "fire" | "skip") => (handover: Handover) =>
    Effect.suspend(() => {
      const fault = state.fault()
      if (fault === "request_lost") return new BrainUnavailable({ message: "the request is lost" })
      const outcome = decide(handover, kind)
      return fault === "response_lost"
        ? new BrainUnavailable({ message: "the response is lost" })
        : Effect.succeed(outcome)
    })

  const service = Brain.of({
    version: "test",
    time: null,
    listProjects: Effect.succeed([{ id: projectId, slug: "default" }]),
    hold: (ids) => Effect.succeed(ids.map((project_id) => ({ project_id, is_held: true, holder: null }))),
    release: Effect.void,
    snapshot: Effect.sync(() => ({ schedules: [...schedules.values()], watermark: BigInt(state.revision) })),
    watch: () => Stream.never,
    getState: (_project, id) => Effect.sync(() => schedules.get(id) ?? null),
    fire: call("fire"),
    skip: call("skip"),
    quarantine: () => Effect.void
  })

  return {
    service,
    state,
    put,
    schedules,
    skipped,
    ticksOf: (id: ScheduleId): ReadonlyArray<Timestamp> =>
      [...fires.values()].filter((fire) => fire.id === id).map(({ tick }) => tick).toSorted(),
    newToken: () => Id.make(crypto.randomUUID())
  }
}
