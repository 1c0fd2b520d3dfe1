import { Effect } from "effect"
import { type AgentId, CommandId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { FireMove } from "../../domain/schedules/Schedule/FireOutcome.ts"
import { staleReason } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Commands } from "../commands/Commands.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { makeFireIntent } from "./FireCommand.ts"
import { type AgentChooser, FireWriter, scheduler } from "./FireWriter.ts"
import { Misfires } from "./Misfires.ts"
import { OpenFiresRepo, type WaitingFire } from "./OpenFiresRepo.ts"
import { SchedulesRepo } from "./Repo.ts"

/** Waiting or expired fires of one transaction. */
const batchSize = 500

/** Sends the fires that wait, and ends those that have waited for too long. */
export const makeWaitingFires = Effect.gen(function*() {
  const openFires = yield* OpenFiresRepo
  const repo = yield* SchedulesRepo
  const fires = yield* FireWriter
  const misfires = yield* Misfires
  const commands = yield* Commands
  const { commandTimeout, scheduleReplayPerSecond } = yield* Settings

  /** Sends fires that waited to the agent, except those of schedules that changed or are paused. */
  const release = Effect.fnUntraced(function*(waiting: ReadonlyArray<WaitingFire>, agent_id: AgentId) {
    const lease = yield* Lease
    yield* lease.withTransaction(Effect.gen(function*() {
      const locked = new Set((yield* openFires.lockWaiting(waiting)).map(({ fire_id }) => fire_id))
      const schedules = new Map(
        (yield* repo.listByIds([...new Set(waiting.map((fire) => fire.schedule_id))])).map((row) => [row.id, row])
      )
      const moves: Array<FireMove> = []
      const issues: Array<IssuedIntent> = []
      for (const fire of waiting) {
        const schedule = schedules.get(fire.schedule_id)
        if (!locked.has(fire.fire_id) || (schedule?.paused_at ?? null) !== null) continue
        const { fire_id, scheduled_for } = fire
        const stale = staleReason(fire, schedule)
        if (stale !== null || schedule === undefined) {
          moves.push({
            fire_id,
            scheduled_for,
            status: "buffer_stale",
            error_code: "definition_changed",
            error_message: stale
          })
          continue
        }
        const id = yield* Ids.nextOf(CommandId)
        const intent = makeFireIntent(schedule, { agent_id, fire_id, scheduled_for, timeout_seconds: commandTimeout })
        moves.push({ fire_id, scheduled_for, status: "accepted", command_id: id })
        issues.push({ id, project_id: schedule.project_id, intent })
      }
      if (moves.length > 0) yield* openFires.move(moves)
      yield* commands.issueAll(issues)
    }))
  }, Effect.provideService(CurrentActor, scheduler))

  /**
   * Ends fires that waited for as long as they may, and records them as misfires, whatever their grace. Returns whether
   * more are left; those of schedules that another transaction holds wait for the next call.
   */
  const expireBatch = Effect.fnUntraced(function*(now: Timestamp.Timestamp, choose: AgentChooser) {
    const lease = yield* Lease
    const expired = yield* openFires.listExpired(now, batchSize)
    if (expired.length === 0) return false
    return yield* lease.withTransaction(Effect.gen(function*() {
      const ids = [...new Set(expired.map(({ schedule_id }) => schedule_id))]
      const schedules = new Map((yield* repo.lockFree(ids)).map((row) => [row.id, row]))
      const lockedElsewhere = new Set(
        (yield* repo.listByIds(ids)).map(({ id }) => id).filter((id) => !schedules.has(id))
      )
      const ready = expired.filter(({ schedule_id }) => !lockedElsewhere.has(schedule_id))
      const ended = yield* openFires.expire(ready)
      yield* misfires.record(
        ready.flatMap(({ engine, fire_id, project_id, schedule_id, scheduled_for: tick, status }) => {
          const schedule = schedules.get(schedule_id)
          if (schedule === undefined || !ended.has(fire_id)) return []
          const hasAgent = status === "pending" && choose(project_id, engine) !== null
          const cause = schedule.paused_at !== null ? "paused" : hasAgent ? "late" : "no_agent"
          return [{ schedule, ticks: { first: tick, last: tick, slots: 1, cause } }]
        }),
        now
      )
      return ready.length === batchSize
    }))
  })

  /**
   * Sends fires that wait: those of an outage, and those that had no agent. At most SVC_SCHEDULE_REPLAY_PER_SECOND of
   * each engine in one call, so that an engine is not flooded. The loop calls it once a second.
   */
  return Effect.fn("WaitingFires.release")(function*() {
    const now = yield* Timestamp.now
    const engines = yield* openFires.listWaitingEngines
    if (engines.length === 0) return
    const choose = yield* fires.makeChooser(engines.map(({ project_id }) => project_id))
    yield* Effect.repeat(expireBatch(now, choose), { while: (hasMore) => hasMore })
    for (const { engine, project_id } of engines) {
      const agent = choose(project_id, engine)
      if (agent === null) continue
      const waiting = yield* openFires.listWaiting(project_id, engine, now, scheduleReplayPerSecond)
      if (waiting.length > 0) yield* release(waiting, agent)
    }
  })
})
