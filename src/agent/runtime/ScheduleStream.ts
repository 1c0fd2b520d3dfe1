import { Cause, Effect, Schedule } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { canonicalize, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { Redaction } from "../../domain/kernel/Redaction.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { configurationOf, type Epoch } from "../../domain/schedules/Schedule/External.ts"
import { buildControl, buildSnapshot, MAX_ROW_BYTES, type ScheduleRow } from "../../protocol/ScheduleSnapshot.ts"
import { ActionFailed, type Engine, type Scheduler } from "./Engine.ts"
import { callEngine } from "./EngineCall.ts"
import { messageOf } from "./ErrorInfo.ts"
import type { Log } from "./Log.ts"
import { isPublishable, scheduleRowOf } from "./ScheduleRow.ts"
import type { SnapshotQueue } from "./SnapshotQueue.ts"

/** Interval of snapshots without a change (agents' protocol, section 6.3). */
const PERIOD_MILLIS = 900_000
/** Each takes about 12 µs. */
const ROWS_PER_TURN = 200
/** Time that a command waits for a starting engine. */
const START_TIMEOUT = "5 seconds"
/** Bytes of a frame without its rows. */
const FRAME_BYTES = 4096
/** A run that begins so much later than it is due is late. The service never calls less a misfire. */
const LATE_MILLIS = 5000
/** Executed controls of an epoch that a repeated command finds. */
const MAX_CONTROLS = 1000
/** While so many characters wait for the brain, no command publishes a snapshot. */
const MAX_PENDING_LENGTH = 16 * 1_048_576

/** The parts of the agent that a stream needs. */
export interface PublishContext {
  readonly snapshots: SnapshotQueue
  readonly redaction: Redaction
  readonly now: () => number
  readonly log: Log
  /** Of one event, as far as the connection says. */
  readonly maxBytes: () => number
  /** Called when there is a snapshot to send. */
  readonly wake: () => void
  readonly stateOf: (engine: string) => "starting" | "running" | "failed"
}

/**
 * The rows of all schedules, and their digest, which does not change when schedules run. It changes when a run becomes
 * late, and when that run begins: only a snapshot reports it to the brain.
 */
export interface ScheduleReading {
  readonly rows: ReadonlyArray<ScheduleRow>
  readonly digest: string
}

/** The result of a command that published a snapshot. */
export type PublishedSnapshot = Omit<Epoch, "owner" | "source_scope"> & {
  readonly scheduler: string
  readonly sequence: number
  readonly schedule_count: number
  /** The terminal one too. */
  readonly frame_count: number
}

/**
 * Publishes the schedules of one scheduler, from its activation by the brain until the process ends or a requested
 * snapshot fails. Reads and publications take turns, so a later snapshot is of a later state.
 */
export class ScheduleStream {
  private epoch: Epoch | null = null
  private sequence = 0
  private publishedAt = 0
  /** The digest of the last published rows. */
  private publishedDigest = ""
  /** Executed controls of the epoch, by operation id, oldest first. */
  private readonly controls = new Map<string, { readonly sequence: number; readonly desiredDigest: string }>()
  /** Logged once, not each minute: that the schedules cannot be read, and how many were left out. */
  private isFailing = false
  private omittedCount = 0
  private readonly lock = Effect.unsafeMakeSemaphore(1)

  constructor(
    readonly engine: string,
    readonly scheduler: Scheduler,
    private readonly publishing: PublishContext
  ) {}

  /** The schedules as they would be published now. */
  readonly readSchedules: Effect.Effect<ScheduleReading, ActionFailed> = Effect.gen(this, function*() {
    const schedules = yield* mapReadFailure(Effect.zipRight(this.awaitEngine, callEngine(() => this.scheduler.list)))
    const publishable = schedules.filter(isPublishable)
    this.warnOfOmitted(schedules.length - publishable.length)
    const now = this.publishing.now()
    const rows: Array<ScheduleRow> = []
    const configurations: Array<string> = []
    for (const schedule of publishable) {
      const row = scheduleRowOf(this.engine, this.scheduler.name, schedule, this.publishing.redaction)
      rows.push(row)
      const isLate = row.is_enabled && schedule.next_run_at !== null && schedule.next_run_at < now - LATE_MILLIS
      configurations.push(`${configurationOf(row)}${isLate ? ` late ${row.next_run_at}` : ""}`)
      if (rows.length % ROWS_PER_TURN === 0) yield* Effect.sleep(0) // lets the host's work run
    }
    return { rows, digest: createHash("sha256").update(configurations.sort().join("\n")).digest("hex") }
  })

  /** Begins the epoch with a first snapshot, without which it is void. An active epoch continues. */
  activate(epoch: Epoch): Effect.Effect<PublishedSnapshot, ActionFailed> {
    return this.lock.withPermits(1)(Effect.suspend(() => {
      if (this.isActive(epoch)) return this.publishSnapshot(epoch, "activation")
      const active = this.epoch?.epoch_number ?? 0
      if (epoch.epoch_number <= active) {
        return new ActionFailed({
          message: `The epoch ${active} of ${this.scheduler.name} is active; another one must have a higher number.`
        })
      }
      this.publishing.snapshots.discard(this.scheduler.name)
      this.epoch = null
      this.sequence = 0
      this.controls.clear()
      return Effect.tap(this.publishSnapshot(epoch, "activation"), () => {
        this.epoch = epoch
      })
    }))
  }

  /** The sequence number of the last publication; 0 before the first. */
  get lastSequence(): number {
    return this.sequence
  }

  findControl(operationId: string): { readonly sequence: number; readonly desiredDigest: string } | undefined {
    return this.controls.get(operationId)
  }

  /** Publishes the row that an operation changed, and returns the sequence number. */
  publishControl(operationId: string, row: ScheduleRow, desiredDigest: string): Effect.Effect<number, ActionFailed> {
    return this.lock.withPermits(1)(Effect.suspend(() => {
      if (this.epoch === null) return new ActionFailed({ message: `no epoch of ${this.scheduler.name} is active` })
      const sequence = ++this.sequence
      const data = buildControl(this.epoch, sequence, operationId, row)
      this.queueEvents(this.epoch.owner, operationId, "schedule.updated", [data])
      this.controls.set(operationId, { sequence, desiredDigest })
      const [oldest] = this.controls.keys()
      if (this.controls.size > MAX_CONTROLS && oldest !== undefined) this.controls.delete(oldest)
      this.publishing.wake()
      return Effect.succeed(sequence)
    }))
  }

  isActive(epoch: Epoch): boolean {
    return this.epoch !== null && canonicalize(this.epoch) === canonicalize(epoch)
  }

  /** Publishes a snapshot; null where no epoch is active. */
  publish(reason: string): Effect.Effect<PublishedSnapshot | null, ActionFailed> {
    return this.lock.withPermits(1)(
      Effect.suspend(() => this.epoch === null ? Effect.succeed(null) : this.publishSnapshot(this.epoch, reason))
    )
  }

  /** Publishes at the interval, or after a change by another process; not while a snapshot waits to be sent. */
  readonly tick: Effect.Effect<void> = this.lock.withPermits(1)(Effect.gen(this, function*() {
    const { epoch } = this
    if (epoch === null || this.publishing.snapshots.lengthOf(this.scheduler.name) > 0) return
    const reading = yield* this.readSchedules
    this.isFailing = false
    if (this.publishing.now() - this.publishedAt >= PERIOD_MILLIS) this.send(epoch, reading, "periodic")
    else if (reading.digest !== this.publishedDigest) this.send(epoch, reading, "signal:coalesced")
  })).pipe(Effect.catchAllCause((cause) =>
    Effect.sync(() => {
      const sentence = messageOf(Cause.squash(cause))
      const { log, redaction } = this.publishing
      if (!this.isFailing) {
        log("warning", `${this.scheduler.name} publishes nothing for now. ${redaction.text(sentence)}`)
      }
      this.isFailing = true
    })
  ))

  private publishSnapshot(epoch: Epoch, reason: string): Effect.Effect<PublishedSnapshot, ActionFailed> {
    if (this.publishing.snapshots.lengthOf(this.scheduler.name) >= MAX_PENDING_LENGTH) {
      return new ActionFailed({ message: "The brain has not acknowledged the snapshots before this one." })
    }
    return Effect.map(this.readSchedules, (reading) => this.send(epoch, reading, reason))
  }

  /** Waits for the engine: a brain activates right after hello, when the engine may still start. */
  private readonly awaitEngine: Effect.Effect<void, ActionFailed> = Effect.suspend(() => {
    const state = Effect.sync(() => this.publishing.stateOf(this.engine))
    const begun = Effect.repeat(state, { while: (now) => now === "starting", schedule: Schedule.spaced("50 millis") })
    return Effect.flatMap(
      Effect.zipRight(Effect.timeoutOption(begun, START_TIMEOUT), state),
      (now) => now === "running" ? Effect.void : new ActionFailed({ message: `the engine ${this.engine} does not run` })
    )
  })

  private warnOfOmitted(count: number): void {
    const line =
      `${count} schedules of ${this.scheduler.name} have ids or texts that no brain could store: they are left out`
    if (count > this.omittedCount) this.publishing.log("warning", line)
    this.omittedCount = count
  }

  private send(epoch: Epoch, { digest, rows }: ScheduleReading, reason: string): PublishedSnapshot {
    const { maxBytes, now, wake } = this.publishing
    const { adapter_instance_id, epoch_number, epoch_uuid, owner, stream_id } = epoch
    const snapshotId = randomUUID()
    const sequence = ++this.sequence
    const frames = buildSnapshot(epoch, sequence, snapshotId, rows, Math.min(MAX_ROW_BYTES, maxBytes() - FRAME_BYTES))
    this.queueEvents(
      owner,
      snapshotId,
      "schedule.snapshot",
      frames.map(({ frame, frame_digest }) => ({ external_snapshot_frame: frame, frame_digest, reason }))
    )
    this.publishedAt = now()
    this.publishedDigest = digest
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

  private queueEvents(
    owner: string,
    publicationId: string,
    kind: "schedule.snapshot" | "schedule.updated",
    contents: ReadonlyArray<{ readonly [member: string]: JsonInput }>
  ): void {
    const { now, snapshots } = this.publishing
    const occurred_at = Timestamp.fromEpochMillis(now())
    snapshots.add(
      owner,
      publicationId,
      contents.map((data) => canonicalize({ id: randomUUID(), kind, engine: owner, task_id: "", occurred_at, data }))
    )
  }
}

/** A failed read changed nothing, so it is not indeterminate. */
const mapReadFailure = <A>(question: Effect.Effect<A, ActionFailed>): Effect.Effect<A, ActionFailed> =>
  Effect.mapError(question, ({ message }) => new ActionFailed({ message: `The schedules cannot be read: ${message}` }))

/** A stream for each scheduler of the engines. */
export const makeScheduleStreams = (
  engines: ReadonlyArray<Engine>,
  publishing: PublishContext
): ReadonlyArray<ScheduleStream> =>
  engines.flatMap(({ name, scheduler }) =>
    scheduler === undefined ? [] : [new ScheduleStream(name, scheduler, publishing)]
  )

const TICK_INTERVAL = "60 seconds"

export const publishPeriodically = (streams: ReadonlyArray<ScheduleStream>): Effect.Effect<never> =>
  Effect.forever(Effect.zipRight(
    Effect.sleep(TICK_INTERVAL),
    Effect.forEach(streams, (stream) => stream.tick, { discard: true })
  ))
