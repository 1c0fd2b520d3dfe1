import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { CommandId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { serviceScheduler } from "../../domain/schedules/Schedule.ts"
import type { Fleet, FleetEntry, ResyncSchedulesResponse } from "../../domain/schedules/Schedule/Fleet.ts"
import { isOpen } from "../../domain/schedules/Schedule/Stream.ts"
import { Audit, auditEntry } from "../audit/Audit.ts"
import { CommandIssue, type IssuedIntent } from "../commands/Issue.ts"
import { LeaseRepo } from "../kernel/concurrency/Leader/Repo.ts"
import { CurrentActor, CurrentProject, roleIn } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { inTransaction, orDieOnSql } from "../kernel/sql/Database.ts"
import { leaseName } from "./FireLoop.ts"
import { aliveSeconds, SchedulerPrograms } from "./SchedulerPrograms.ts"
import { type NamedStream, StreamsRepo } from "./StreamsRepo.ts"

const entryOf = (
  { agent_name, project_slug, ...stream }: NamedStream
): FleetEntry => ({
  url: `agents/${stream.agent_id}/${stream.scheduler}`,
  ok: stream.status === "live" ? stream.error === null : stream.status === "activating" ? null : false,
  info: {
    project: project_slug,
    agent_id: stream.agent_id,
    agent_name,
    scheduler: stream.scheduler,
    status: stream.status,
    worker_id: stream.worker_id,
    capabilities: stream.capabilities,
    schedule_count: stream.schedule_count,
    epoch_number: stream.epoch_number,
    activated_at: stream.activated_at,
    snapshot_at: stream.snapshot_at,
    ended_at: stream.ended_at
  },
  error: stream.error ??
    (stream.status === "ended"
      ? `No process of the agent "${agent_name}" is connected that publishes its schedules.`
      : null)
})

/** The schedulers that fire: the service's own, and those of engines, as far as agents publish their schedules. */
export class ScheduleFleet extends Effect.Service<ScheduleFleet>()("svc/ScheduleFleet", {
  effect: Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const streams = yield* StreamsRepo
    const leases = yield* LeaseRepo
    const schedulerPrograms = yield* SchedulerPrograms
    const { issueAll } = yield* CommandIssue
    const audit = yield* Audit
    const { commandTimeout, embeddedScheduler } = yield* Settings

    /** The brain's fire loop, or the scheduler programs that fire in its place: alive is which one calls. */
    const serviceEntry = Effect.zipWith(leases.list, schedulerPrograms.list, (heldLeases, programs): FleetEntry => {
      const ok = embeddedScheduler ? heldLeases.some(({ name }) => name === leaseName) : programs.length > 0
      const firing = programs.filter(({ state }) => state === "firing").length
      return {
        url: serviceScheduler,
        ok,
        info: {
          scheduler: serviceScheduler,
          status: ok ? "live" : "ended",
          fired_by: embeddedScheduler ? "brain" : "scheduler programs",
          firing,
          standby: programs.length - firing,
          programs
        },
        error: ok
          ? null
          : embeddedScheduler
          ? "No brain fires the service's schedules at this moment. Another one takes over within 10 s."
          : `No scheduler program has called this brain in the last ${aliveSeconds} s, and SVC_EMBEDDED_SCHEDULER is false.`
      }
    })

    /** Those of the projects that the actor can see. */
    const list = Effect.fn("ScheduleFleet.list")(function*() {
      const actor = yield* CurrentActor
      const visible = (yield* streams.listNamed).filter(({ project_id }) => roleIn(actor, project_id) !== null)
      const schedulers = [yield* serviceEntry, ...visible.map(entryOf)]
      return {
        schedulers,
        total: schedulers.length,
        healthy: schedulers.filter(({ ok }) => ok === true).length
      } satisfies Fleet
    }, orDieOnSql)

    /**
     * Asks each connected publisher of the project for a snapshot, and those that refused to publish for another
     * activation, which the replica of their connection sends within 5 s.
     */
    const resync = Effect.fn("ScheduleFleet.resync")(function*() {
      const project = yield* CurrentProject
      const all = yield* streams.listByProject(project.id)
      const openStreams = all.filter(isOpen)
      const refused = all.filter(({ status }) => status === "failed")
      yield* streams.retryFailed(project.id, yield* Timestamp.now)
      const observed = [...openStreams, ...refused]
      const issued: Array<IssuedIntent> = []
      const sessions = new Map(openStreams.map((stream) => [stream.session_id, stream]))
      for (const { agent_id, session_id } of sessions.values()) {
        issued.push({
          id: yield* Ids.nextOf(CommandId),
          project_id: project.id,
          intent: {
            agent_id,
            action: "schedule.resync",
            engine: null,
            target_type: "agent",
            target_id: agent_id,
            parameters: {},
            bound_session_id: session_id,
            timeout_seconds: commandTimeout
          }
        })
      }
      const schedulers_observed = [...new Set(observed.map(({ scheduler }) => scheduler))].sort()
      const response: ResyncSchedulesResponse = {
        agents_dispatched: new Set(observed.map(({ agent_id }) => agent_id)).size,
        schedulers_observed
      }
      yield* audit.record(auditEntry("schedules.resynced", "project", project.id, {
        project_id: project.id,
        metadata: response
      }))
      yield* issueAll(issued)
      return response
    }, inTransaction(sql))

    return { list, resync } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([CommandIssue.layer, LeaseRepo.Default, SchedulerPrograms.layer, StreamsRepo.layer])
  )
}
