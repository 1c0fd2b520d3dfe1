import { Cause, Effect, Schedule } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { canonicalize } from "../../domain/CanonicalJson.ts"
import type { Redaction } from "../../domain/Redaction.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import {
  configurationOf,
  type Epoch,
  MOST_ROW_BYTES,
  type ScheduleRow,
  snapshotOf
} from "../protocol/ScheduleSnapshot.ts"
import { cut } from "./Cut.ts"
import { ActionFailed, type Engine, type Scheduler } from "./Engine.ts"
import type { Log } from "./Log.ts"
import { hasUsableId, rowOf } from "./ScheduleRow.ts"
import type { SnapshotLane } from "./SnapshotLane.ts"

/** Without anything having changed, a snapshot is published so often (agents' protocol, section 6.3). */
const PERIOD_MILLIS = 900_000
/** Each takes about 12 µs. */
const ROWS_AT_ONCE = 200
/** How long a question waits for an engine that is starting. */
const START_PATIENCE = "5 seconds"
/** What a frame has beside its rows. */
const FRAME_BYTES = 4096
/** While so much waits for the brain (characters), no command makes more of it. */
const MOST_WAITING = 16 * 1_048_576

/** What a stream needs of the agent around it. */
export interface Publishing {
  readonly lane: SnapshotLane
  readonly redaction: Redaction
  readonly now: () => number
  readonly log: Log
  /** Of one event, as far as the connection says. */
  readonly mostBytes: () => number
  /** There is something to send. */
  readonly wake: () => void
  readonly stateOf: (engine: string) => "starting" | "running" | "failed"
}

/** What stands there, and a digest of it that stays the same while schedules only run. */
export interface Look {
  readonly rows: ReadonlyArray<ScheduleRow>
  readonly digest: string
}

/** What a command that published a snapshot answers of it. */
export type Published = Omit<Epoch, "owner" | "source_scope"> & {
  readonly scheduler: string
  readonly sequence: number
  readonly schedule_count: number
  /** The terminal one too. */
  readonly frame_count: number
}

/**
 * Publishes the schedules of one scheduler, from the moment the brain activates it until the process ends or a snapshot
 * that the brain waits for cannot be made. Looks and publications take turns: what is published later was seen later.
 */
export class ScheduleStream {
  private epoch: Epoch | null = null
  private sequence = 0
  private publishedAt = 0
  /** The digest of what was. */
  private published = ""
  /** What is said once, and not each minute: that the schedules cannot be read, and how many were left out. */
  private failing = false
  private leftOut = 0
  private readonly turn = Effect.unsafeMakeSemaphore(1)

  constructor(
    readonly engine: string,
    readonly scheduler: Scheduler,
    private readonly publishing: Publishing
  ) {}

  /** The schedules as they would be published now. */
  readonly look: Effect.Effect<Look, ActionFailed> = Effect.gen(this, function*() {
    const schedules = yield* unchanging(Effect.zipRight(this.engineRuns, cut(() => this.scheduler.list)))
    const usable = schedules.filter(hasUsableId)
    this.tellLeftOut(schedules.length - usable.length)
    const rows: Array<ScheduleRow> = []
    const configurations: Array<string> = []
    for (const schedule of usable) {
      const row = rowOf(this.engine, this.scheduler.name, schedule, this.publishing.redaction)
      rows.push(row)
      configurations.push(configurationOf(row))
      if (rows.length % ROWS_AT_ONCE === 0) yield* Effect.sleep(0) // the host's turn
    }
    return { rows, digest: createHash("sha256").update(configurations.sort().join("\n")).digest("hex") }
  })

  /** Begins the epoch with a first snapshot, without which it is void; one that is active goes on. */
  activate(epoch: Epoch): Effect.Effect<Published, ActionFailed> {
    return this.turn.withPermits(1)(Effect.suspend(() => {
      if (this.isActive(epoch)) return this.snapshot(epoch, "activation")
      const active = this.epoch?.epoch_number ?? 0
      if (epoch.epoch_number <= active) {
        return new ActionFailed({
          message: `The epoch ${active} of ${this.scheduler.name} is active; another one must have a higher number.`
        })
      }
      this.publishing.lane.forget(this.scheduler.name)
      this.epoch = null
      this.sequence = 0
      return Effect.tap(this.snapshot(epoch, "activation"), () => {
        this.epoch = epoch
      })
    }))
  }

  isActive(epoch: Epoch): boolean {
    return this.epoch !== null && canonicalize(this.epoch) === canonicalize(epoch)
  }

  /** Publishes a snapshot; null where the brain has not asked for any. */
  publish(reason: string): Effect.Effect<Published | null, ActionFailed> {
    return this.turn.withPermits(1)(Effect.suspend(() =>
      this.epoch === null ? Effect.succeed(null) : this.snapshot(this.epoch, reason)))
  }

  /** Publishes when it is time, or when somebody else has changed something; nothing while one waits to be sent. */
  readonly tick: Effect.Effect<void> = this.turn.withPermits(1)(Effect.gen(this, function*() {
    const { epoch } = this
    if (epoch === null || this.publishing.lane.lengthOf(this.scheduler.name) > 0) return
    const look = yield* this.look
    this.failing = false
    if (this.publishing.now() - this.publishedAt >= PERIOD_MILLIS) this.send(epoch, look, "periodic")
    else if (look.digest !== this.published) this.send(epoch, look, "signal:coalesced")
  })).pipe(Effect.catchAllCause((cause) =>
    Effect.sync(() => {
      const error = Cause.squash(cause)
      const sentence = error instanceof Error ? error.message : String(error)
      const { log, redaction } = this.publishing
      if (!this.failing) log("warning", `${this.scheduler.name} publishes nothing for now. ${redaction.text(sentence)}`)
      this.failing = true
    })))

  private snapshot(epoch: Epoch, reason: string): Effect.Effect<Published, ActionFailed> {
    if (this.publishing.lane.lengthOf(this.scheduler.name) >= MOST_WAITING) {
      return new ActionFailed({ message: "The brain has not acknowledged the snapshots before this one." })
    }
    return Effect.map(this.look, (look) => this.send(epoch, look, reason))
  }

  /** A brain activates as soon as it is greeted, when the engine may not have begun. */
  private readonly engineRuns: Effect.Effect<void, ActionFailed> = Effect.suspend(() => {
    const state = Effect.sync(() => this.publishing.stateOf(this.engine))
    const begun = Effect.repeat(state, { while: (now) => now === "starting", schedule: Schedule.spaced("50 millis") })
    return Effect.flatMap(Effect.zipRight(Effect.timeoutOption(begun, START_PATIENCE), state), (now) =>
      now === "running" ? Effect.void : new ActionFailed({ message: `the engine ${this.engine} does not run` }))
  })

  private tellLeftOut(count: number): void {
    const line = `${count} schedules of ${this.scheduler.name} have ids that no command could name: they are left out`
    if (count > this.leftOut) this.publishing.log("warning", line)
    this.leftOut = count
  }

  private send(epoch: Epoch, { digest, rows }: Look, reason: string): Published {
    const { lane, mostBytes, now, wake } = this.publishing
    const { adapter_instance_id, epoch_number, epoch_uuid, owner, stream_id } = epoch
    const snapshotId = randomUUID()
    const sequence = ++this.sequence
    const frames = snapshotOf(epoch, sequence, snapshotId, rows, Math.min(MOST_ROW_BYTES, mostBytes() - FRAME_BYTES))
    const occurred_at = Timestamp.fromEpochMicros(now() * 1000)
    lane.add(owner, snapshotId, frames.map(({ frame, frame_digest }) =>
      canonicalize({
        id: randomUUID(),
        kind: "schedule.snapshot",
        engine: owner,
        task_id: "",
        occurred_at,
        data: { external_snapshot_frame: frame, frame_digest, reason }
      })))
    this.publishedAt = now()
    this.published = digest
    wake()
    return {
      scheduler: owner,
      stream_id,
      epoch_uuid,
      epoch_number,
      sequence,
      adapter_instance_id,
      schedule_count: rows.length,
      frame_count: frames.length
    }
  }
}

/** A question that fails leaves nothing open. */
const unchanging = <A>(question: Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> =>
  Effect.mapError(question, ({ message }) => new ActionFailed({ message: `The schedules cannot be read: ${message}` }))

/** A stream for each scheduler of the engines. */
export const streamsOf = (engines: ReadonlyArray<Engine>, publishing: Publishing): ReadonlyArray<ScheduleStream> =>
  engines.flatMap(({ name, scheduler }) =>
    scheduler === undefined ? [] : [new ScheduleStream(name, scheduler, publishing)]
  )

const LOOK_EVERY = "60 seconds"

export const keepPublishing = (streams: ReadonlyArray<ScheduleStream>): Effect.Effect<never> =>
  Effect.forever(Effect.zipRight(
    Effect.sleep(LOOK_EVERY),
    Effect.forEach(streams, (stream) => stream.tick, { discard: true })
  ))
