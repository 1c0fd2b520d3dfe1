import { Array as Arr, Effect, Either, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import type { ValidationFailed } from "../../domain/kernel/Errors.ts"
import { type AgentId, CommandId, FireRowId, type ProjectId, type ScheduleId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { fireIdOf } from "../../domain/schedules/Schedule/FireId.ts"
import {
  compileSchedule,
  type FirePlan,
  latestCursorAt,
  planFires,
  rewindCursor
} from "../../domain/schedules/Schedule/Plan.ts"
import { digestFire } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import { Lease } from "../kernel/concurrency/Leader.ts"
import { CurrentActor } from "../kernel/CurrentActor.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { DueRepo, type DueSchedule } from "./DueRepo.ts"
import { fireAction, makeFireIntent } from "./FireCommand.ts"
import { Misfires, type SuspensionCause } from "./Misfires.ts"
import { type NewFire, OpenFiresRepo } from "./OpenFiresRepo.ts"
import { ScheduleQuarantine } from "./Quarantine.ts"
import { SchedulesRepo } from "./Repo.ts"

/** Schedules of one transaction. */
const maxBatchSize = 500

/** Fires of one transaction, if all its schedules missed as many ticks as are caught up. */
const maxBatchFires = 20_000

/** The actor of fires in the audit log. */
export const scheduler = system("scheduler")

/** A schedule with what it fires and where its cursor goes. */
export interface DuePlan {
  readonly schedule: Schedule
  readonly plan: FirePlan
  /** What suspended the schedule while it missed ticks; absent: it was not suspended. */
  readonly suspendedBy?: SuspensionCause
}

interface BrokenSchedule {
  readonly schedule: Schedule
  readonly detail: string
}

/** The agent that takes fires of an engine now; null: none. */
export type AgentChooser = (projectId: ProjectId, engine: string) => AgentId | null

/** What the fires of a transaction have in common. */
interface FireRound {
  readonly choose: AgentChooser
  readonly nextRevision: () => number
  /** The fencing number of the lease; 0 for the fires of a scheduler program, which holds none of this database. */
  readonly fence: number
  readonly now: Timestamp.Timestamp
}

/** A fire with what decides its command. */
interface PlannedFire {
  readonly schedule: Schedule
  readonly fire: NewFire
  readonly agent_id: AgentId | null
}

/**
 * Fires the schedules that the service owns, under the lease of the fire loop (`FireLoop.ts`). One constructor: all of it
 * writes plans. Fires that wait are sent by `WaitingFires.ts`.
 */
export class ScheduleFires extends Effect.Service<ScheduleFires>()("svc/ScheduleFires", {
  effect: Effect.gen(function*() {
    const due = yield* DueRepo
    const openFires = yield* OpenFiresRepo
    const repo = yield* SchedulesRepo
    const engineAgents = yield* EngineAgents
    const misfires = yield* Misfires
    const commands = yield* Commands
    const quarantine = yield* ScheduleQuarantine
    const { commandTimeout, scheduleBufferSeconds, scheduleCatchUpMax, scheduleGraceSeconds } = yield* Settings
    const batchSize = Math.min(maxBatchSize, Math.ceil(maxBatchFires / scheduleCatchUpMax))

    /** Chooses agents for fires. The agents of each project are read once. */
    const makeChooser = Effect.fnUntraced(function*(projectIds: Iterable<ProjectId>) {
      const choosers = new Map<ProjectId, (engine: string) => AgentId | null>()
      for (const id of new Set(projectIds)) choosers.set(id, yield* engineAgents.chooseIn(id, fireAction))
      return (projectId: ProjectId, engine: string) => choosers.get(projectId)?.(engine) ?? null
    })

    /** The next revisions, one for each of the rows. */
    const takeRevisions = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>) {
      let revision = (yield* repo.takeRevisions(rows.length)) - rows.length
      return () => ++revision
    })

    const planDue = (schedule: Schedule, now: Timestamp.Timestamp): Either.Either<DuePlan, BrokenSchedule> => {
      const { next_run_at } = schedule
      if (next_run_at === null) return Either.left({ schedule, detail: "It is due and has no next tick." })
      const graceSeconds = schedule.grace_seconds ?? scheduleGraceSeconds
      return Either.mapBoth(compileSchedule(schedule), {
        onLeft: ({ detail }: ValidationFailed) => ({ schedule, detail }),
        onRight: (cadence) => ({
          schedule,
          plan: planFires({ ...schedule, next_run_at }, cadence, now, {
            catchUpMax: scheduleCatchUpMax,
            graceSeconds
          })
        })
      })
    }

    const planFireRows = Effect.fnUntraced(function*(
      { plan, schedule }: DuePlan,
      { choose, fence, now }: FireRound
    ) {
      const agent_id = choose(schedule.project_id, schedule.engine)
      const definition_digest = digestFire(schedule)
      const { engine, id: schedule_id, project_id } = schedule
      const makeFire = Effect.fnUntraced(function*(tick: Timestamp.Timestamp, isMissed: boolean) {
        const isSent = !isMissed && agent_id !== null
        const fire: NewFire = {
          id: yield* Ids.nextOf(FireRowId),
          fire_id: fireIdOf(schedule_id, tick),
          project_id,
          schedule_id,
          engine,
          command_id: isSent ? yield* Ids.nextOf(CommandId) : null,
          status: isSent ? "accepted" : isMissed ? "pending" : "buffered",
          scheduled_for: tick,
          fired_at: now,
          definition_digest,
          expires_at: Timestamp.addSeconds(now, scheduleBufferSeconds),
          fence
        }
        return { schedule, fire, agent_id } satisfies PlannedFire
      })
      return [
        ...(yield* Effect.forEach(plan.missedFires, (tick) => makeFire(tick, true))),
        ...(yield* Effect.forEach(plan.fires, (tick) => makeFire(tick, false)))
      ]
    })

    const issuedOf = ({ agent_id, fire: { command_id, fire_id, scheduled_for }, schedule }: PlannedFire) =>
      agent_id === null || command_id === null ? [] : [
        {
          id: command_id,
          project_id: schedule.project_id,
          intent: makeFireIntent(schedule, { agent_id, fire_id, scheduled_for, timeout_seconds: commandTimeout })
        } satisfies IssuedIntent
      ]

    /** A definition that no longer compiles would fire at a guess (docs/schedules.md). */
    const quarantineBroken = (broken: ReadonlyArray<BrokenSchedule>, nextRevision: () => number) =>
      quarantine.begin(
        broken.map((one) => ({ ...one, code: "definition_invalid", schedule_revision: nextRevision() }))
      )

    /**
     * Writes fires, moved cursors, misfires and commands of planned schedules, in the caller's transaction, and returns
     * the fires that did not exist.
     */
    const writePlans = Effect.fnUntraced(function*(plans: ReadonlyArray<DuePlan>, round: FireRound) {
      const planned = (yield* Effect.forEach(plans, (plan) => planFireRows(plan, round))).flat()
      const inserted = planned.length === 0 ? [] : yield* openFires.insert(planned.map(({ fire }) => fire))
      const insertedIds = new Set(inserted.map(({ fire_id }) => fire_id))
      const fresh = planned.filter(({ fire }) => insertedIds.has(fire.fire_id))
      const firesOf = Arr.groupBy(fresh, ({ schedule }) => schedule.id)
      yield* due.moveCursors(plans.map(({ plan: { cursor }, schedule: { id } }) => {
        const own = firesOf[id] ?? []
        const ticks = own.map(({ fire }) => fire.scheduled_for)
        return {
          id,
          ...cursor,
          last_run_at: ticks.length === 0 ? null : ticks.reduce((a, b) => (a > b ? a : b)),
          runs: own.length,
          schedule_revision: round.nextRevision()
        }
      }))
      yield* misfires.recordPlans(plans, round.now)
      yield* commands.issueAll(fresh.flatMap(issuedOf))
      return fresh.map(({ fire }) => fire)
    })

    /**
     * Fires, moved cursors, misfires and commands of these schedules: all in one transaction, or nothing. Returns the
     * schedules that it fired; another transaction holds the rest, or has changed it.
     */
    const fireBatch = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>, now: Timestamp.Timestamp) {
      const lease = yield* Lease
      const choose = yield* makeChooser(rows.map(({ project_id }) => project_id))
      return yield* lease.withTransaction(Effect.gen(function*() {
        const nextRevision = yield* takeRevisions(rows)
        const schedules = yield* due.lockDue(rows.map(({ id }) => id), now)
        const [broken, plans] = Arr.partitionMap(schedules, (schedule) => planDue(schedule, now))
        yield* writePlans(plans, { choose, nextRevision, fence: lease.fence, now })
        yield* quarantineBroken(broken, nextRevision)
        return schedules.map(({ id }) => id)
      }))
    }, Effect.provideService(CurrentActor, scheduler))

    /** The schedules of the next batch without the `excluded` ones, and whether more may be due. */
    const listDue = Effect.fn("ScheduleFires.listDue")(function*(excluded: ReadonlySet<ScheduleId>) {
      const now = yield* Timestamp.now
      const rows = yield* due.listDue(now, batchSize + excluded.size)
      const batch = rows.filter(({ id }) => !excluded.has(id)).slice(0, batchSize)
      return { batch, now, hasMore: batch.length === batchSize }
    })

    /** Computes cursors again that were computed before the clock was set back, in one transaction. Returns their number. */
    const rewindBatch = Effect.fnUntraced(function*(rows: ReadonlyArray<DueSchedule>, now: Timestamp.Timestamp) {
      const lease = yield* Lease
      return yield* lease.withTransaction(Effect.gen(function*() {
        const nextRevision = yield* takeRevisions(rows)
        const schedules = yield* due.lockAhead(rows.map(({ id }) => id), latestCursorAt(now))
        const rewound = schedules.map((schedule) => ({ schedule, cursor: rewindCursor(schedule, now) }))
        const broken = rewound.flatMap(({ cursor, schedule }) =>
          Either.isLeft(cursor) && schedule.quarantined_at === null
            ? [{ schedule, detail: cursor.left.detail } satisfies BrokenSchedule]
            : []
        )
        const cursors = rewound.map(({ cursor, schedule }) => ({
          ...Either.getOrElse(cursor, () => schedule),
          id: schedule.id,
          cursor_at: now,
          schedule_revision: nextRevision()
        }))
        yield* due.rewindCursors(cursors)
        yield* quarantineBroken(broken, nextRevision)
        return schedules.length
      }))
    }, Effect.provideService(CurrentActor, scheduler))

    /**
     * Brings back the schedules whose next tick lies ahead of its time, because it was computed before the clock was
     * set back. The ticks after now are due again; those that have fired keep their fire, so none fires twice. Returns
     * the number of schedules; there may be more. 0: another transaction holds the rest.
     */
    const rewind = Effect.fn("ScheduleFires.rewind")(function*() {
      const now = yield* Timestamp.now
      const rows = yield* due.listAhead(latestCursorAt(now), batchSize)
      const count = rows.length === 0 ? 0 : yield* rewindBatch(rows, now)
      if (count > 0) {
        yield* Effect.annotateLogs(
          Effect.logWarning("the clock was set back: next ticks of schedules are computed again"),
          { cause: "clock_step", schedules: count, now }
        )
      }
      return count
    })

    return { listDue, fireBatch, rewind, makeChooser, writePlans, nextDue: due.nextDue } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([
      Commands.layer,
      DueRepo.layer,
      EngineAgents.layer,
      Misfires.layer,
      OpenFiresRepo.layer,
      ScheduleQuarantine.layer,
      SchedulesRepo.layer
    ])
  )
}
