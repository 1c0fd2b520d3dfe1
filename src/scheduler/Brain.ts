import { Context, Data, type Effect, type Stream } from "effect"
import type { ProjectId, ScheduleId } from "../domain/kernel/Id.ts"
import type { Timestamp } from "../domain/kernel/Timestamp.ts"
import type { KnownSchedule } from "./KnownSchedule.ts"

/** A call of the brain failed, or got no response: whether it had an effect is unknown. `message` is one sentence. */
export class BrainUnavailable extends Data.TaggedError("BrainUnavailable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface Project {
  readonly id: ProjectId
  readonly slug: string
}

export interface ProjectLease {
  readonly project_id: ProjectId
  readonly is_held: boolean
  /** Null: no instance holds it. */
  readonly holder: string | null
}

export interface Snapshot {
  readonly schedules: ReadonlyArray<KnownSchedule>
  /** The changes after this revision follow in the watch. */
  readonly watermark: bigint
}

export type Change =
  | { readonly _tag: "Upsert"; readonly schedule: KnownSchedule }
  | { readonly _tag: "Deleted"; readonly id: ScheduleId }

/** The first decision of a schedule's chain, against the state of the schedule that the brain had last. */
export interface Handover {
  readonly schedule: KnownSchedule
  /** The tick of a fire; the last skipped tick of a skip. */
  readonly tick: Timestamp
  readonly decided_at: Timestamp
  /** The tick after it. */
  readonly prepared_next_run_at: Timestamp | null
}

/** The brain's response to a fire or a skip. */
export type HandoverOutcome =
  | {
    readonly _tag: "Accepted"
    readonly revision: number
    readonly last_run_at: Timestamp | null
    readonly next_run_at: Timestamp | null
  }
  /** The tick is resolved, or the schedule was changed: the brain's state counts. */
  | { readonly _tag: "Refresh"; readonly reason: string }
  | { readonly _tag: "Quarantined" }
  | { readonly _tag: "Retry"; readonly reason: string }

/** A connection to the brain. */
export class Brain extends Context.Tag("svc/scheduler/Brain")<Brain, {
  readonly version: string
  /** Its clock when the connection was opened. */
  readonly time: Timestamp | null
  readonly listProjects: Effect.Effect<ReadonlyArray<Project>, BrainUnavailable>
  /** Takes or renews the leases of the projects for `ttlSeconds`. */
  readonly hold: (
    ids: ReadonlyArray<ProjectId>,
    ttlSeconds: number
  ) => Effect.Effect<ReadonlyArray<ProjectLease>, BrainUnavailable>
  readonly release: Effect.Effect<void, BrainUnavailable>
  /** The schedules of all projects. */
  readonly snapshot: Effect.Effect<Snapshot, BrainUnavailable>
  /** The changes of all projects after a revision. */
  readonly watch: (after: bigint) => Stream.Stream<Change, BrainUnavailable>
  /** Null: there is no such schedule. */
  readonly getState: (project: ProjectId, id: ScheduleId) => Effect.Effect<KnownSchedule | null, BrainUnavailable>
  readonly fire: (handover: Handover) => Effect.Effect<HandoverOutcome, BrainUnavailable>
  readonly skip: (handover: Handover) => Effect.Effect<HandoverOutcome, BrainUnavailable>
  readonly quarantine: (schedule: KnownSchedule, detail: string) => Effect.Effect<void, BrainUnavailable>
}>() {}
