import { Array as Arr, Effect, Layer } from "effect"
import { system } from "../../domain/kernel/Actor.ts"
import { type AgentId, CommandId, FireRowId, type ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import type { Schedule } from "../../domain/schedules/Schedule.ts"
import { fireIdOf } from "../../domain/schedules/Schedule/FireId.ts"
import type { FirePlan } from "../../domain/schedules/Schedule/Plan.ts"
import { digestFire } from "../../domain/schedules/Schedule/WaitingFire.ts"
import { Commands } from "../commands/Commands.ts"
import { EngineAgents } from "../commands/EngineAgents.ts"
import type { IssuedIntent } from "../commands/Issue.ts"
import * as Ids from "../kernel/Ids.ts"
import { Settings } from "../kernel/Settings.ts"
import { DueRepo } from "./DueRepo.ts"
import { fireAction, makeFireIntent } from "./FireCommand.ts"
import { Misfires, type SuspensionCause } from "./Misfires.ts"
import { type NewFire, OpenFiresRepo } from "./OpenFiresRepo.ts"

/** The actor of fires in the audit log. */
export const scheduler = system("scheduler")

/** A schedule with what it fires and where its cursor goes. */
export interface DuePlan {
  readonly schedule: Schedule
  readonly plan: FirePlan
  /** What suspended the schedule while it missed ticks; absent: it was not suspended. */
  readonly suspendedBy?: SuspensionCause
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

/** Writes what schedules fire: by the brain's own loop, by scheduler programs, and at the end of a suspension. */
export class FireWriter extends Effect.Service<FireWriter>()("svc/FireWriter", {
  effect: Effect.gen(function*() {
    const due = yield* DueRepo
    const openFires = yield* OpenFiresRepo
    const engineAgents = yield* EngineAgents
    const misfires = yield* Misfires
    const commands = yield* Commands
    const { commandTimeout, scheduleBufferSeconds } = yield* Settings

    /** Chooses agents for fires. The agents of each project are read once. */
    const makeChooser = Effect.fnUntraced(function*(projectIds: Iterable<ProjectId>) {
      const choosers = new Map<ProjectId, (engine: string) => AgentId | null>()
      for (const id of new Set(projectIds)) choosers.set(id, yield* engineAgents.chooseIn(id, fireAction))
      return (projectId: ProjectId, engine: string) => choosers.get(projectId)?.(engine) ?? null
    })

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

    return { makeChooser, writePlans } as const
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([Commands.layer, DueRepo.layer, EngineAgents.layer, Misfires.layer, OpenFiresRepo.layer])
  )
}
