import type { FileSystem } from "@effect/platform"
import { Cause, Clock, Data, Effect, Exit, type Layer, Option, Queue, Random, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { version } from "../domain/kernel/Version.ts"
import { acquireFileLock } from "../services/kernel/FileLock.ts"
import { Brain, type BrainUnavailable } from "./Brain.ts"
import { type Handovers, makeHandovers } from "./Handovers.ts"
import { runSession } from "./Session.ts"
import type { SchedulerSettingsShape } from "./Settings.ts"
import { Store } from "./Store.ts"
import { makeTicks } from "./Ticks.ts"
import type { TlsFilesInvalid } from "./Tls.ts"

/** Another process uses the home folder. */
export class AlreadyRunning extends Data.TaggedError("AlreadyRunning")<{ readonly home: string }> {
  override get message() {
    return `Another svc-scheduler uses ${this.home}. Stop that one, or give this one a folder of its own (SVC_SCHEDULER_HOME).`
  }
}

export const lockFile = (home: string): string => join(home, "scheduler.lock")

/** Creates the folder, and keeps other processes out of it while the scope is open. */
export const lockHome = (home: string) =>
  Effect.zipRight(
    Effect.sync(() => mkdirSync(home, { recursive: true, mode: 0o700 })),
    Effect.catchTag(acquireFileLock(lockFile(home)), "LockHeld", () => new AlreadyRunning({ home }))
  )

/** The loop checks the clock at least this often, since it may be set. */
const maxSleepMillis = 1000

/** A brain whose clock differs by more is reported: ticks are decided by this machine's clock. */
const maxSkewMillis = 5000

/** At its end the program sends what it can to the brain within this time. */
const drainTimeout = "5 seconds"

/** Between attempts to connect. */
const firstPauseMillis = 250
const longestPauseMillis = 5000

type ConnectionError = BrainUnavailable | TlsFilesInvalid

export interface Connecting {
  /** A connection to the brain by the files and settings as they are now. */
  readonly connect: (
    address: string,
    instanceId: string
  ) => Layer.Layer<Brain, ConnectionError, FileSystem.FileSystem>
  /** Completes when the program is asked to connect again. */
  readonly awaitReconnect: Effect.Effect<void>
}

const reportSkew = Effect.gen(function*() {
  const { time } = yield* Brain
  const now = yield* Clock.currentTimeMillis
  const skew = time === null ? 0 : now - Timestamp.toEpochMillis(time)
  if (Math.abs(skew) > maxSkewMillis) {
    yield* Effect.logWarning(
      `the clock of this machine is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} ` +
        "the brain's. Ticks are decided by this machine's clock: synchronise both"
    )
  }
})

const reasonOf = (cause: Cause.Cause<ConnectionError>): string =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => Cause.pretty(cause).split("\n", 1)[0] ?? "a defect",
    onSome: ({ message }) => message
  })

const forever = <E, R>(name: string, work: Effect.Effect<void, E, R>) =>
  Effect.forkScoped(
    Effect.retry(
      Effect.tapErrorCause(
        Effect.sandbox(Effect.forever(work)),
        (cause) => Effect.logError(`${name} failed; it is retried`, Cause.flatten(cause))
      ),
      Schedule.spaced("1 second")
    )
  )

const drain = (handovers: Handovers, brain: Brain["Type"]) =>
  Effect.zipRight(
    Effect.ignore(Effect.timeout(Effect.provideService(handovers.handOver, Brain, brain), drainTimeout)),
    Effect.ignore(brain.release)
  )

/** Waits for the next tick, or a change of the schedules. */
const awaitDue = (due: Timestamp.Timestamp | undefined, now: Timestamp.Timestamp, changes: Queue.Dequeue<void>) => {
  const millis = due === undefined ? Infinity : Timestamp.toEpochMillis(due) - Timestamp.toEpochMillis(now)
  return Effect.raceFirst(Effect.sleep(Math.min(Math.max(millis, 1), maxSleepMillis)), Queue.take(changes))
}

interface State {
  readonly startedAt: Timestamp.Timestamp
  connectedAt: Timestamp.Timestamp | null
  error: string | null
  lastTickAt: Timestamp.Timestamp | null
  brain: Brain["Type"] | null
  /** The connection was lost since it was up to date last. */
  isAway: boolean
}

/** Runs until it is interrupted; then sends what it can to the brain. Needs the lock of its home folder. */
export const runScheduler = (
  settings: Pick<SchedulerSettingsShape, "brain" | "catchUpMax" | "projects">,
  { awaitReconnect, connect }: Connecting
) =>
  Effect.gen(function*() {
    const store = yield* Store
    const ticks = yield* makeTicks(settings.catchUpMax)
    const handovers = yield* makeHandovers(ticks)
    const handoverQueue = yield* Queue.sliding<void>(1)
    const tickQueue = yield* Queue.sliding<void>(1)
    const wakeTicks = Effect.asVoid(tickQueue.offer(undefined))
    const wakeHandovers = Effect.asVoid(handoverQueue.offer(undefined))
    const instanceId = store.readSetting("instance_id") ?? randomUUID()
    store.writeSetting("instance_id", instanceId)

    const state: State = {
      startedAt: yield* Timestamp.now,
      connectedAt: null,
      error: "it has not connected yet",
      lastTickAt: null,
      brain: null,
      isAway: false
    }

    const writeState = Effect.map(Timestamp.now, (now) =>
      store.writeRunState({
        pid: process.pid,
        version,
        started_at: state.startedAt,
        updated_at: now,
        connected_at: state.connectedAt,
        error: state.error,
        last_tick_at: state.lastTickAt,
        last_handover_at: handovers.lastHandoverAt()
      }))

    const decide = Effect.gen(function*() {
      const now = yield* Timestamp.now
      const { count, hasMore } = ticks.decideDue(now)
      if (count > 0) {
        state.lastTickAt = now
        yield* wakeHandovers
      }
      if (hasMore) return
      yield* awaitDue(ticks.nextDue(), now, tickQueue)
    })

    const onReady = (address: string) =>
      Effect.gen(function*() {
        const brain = yield* Brain
        state.brain = brain
        state.connectedAt = yield* Timestamp.now
        state.error = null
        state.isAway = false
        yield* writeState
        yield* Effect.logInfo(`connected to the brain at ${address}, svc ${brain.version}`)
      })

    /** A connection to one of the brains. */
    const sessionWith = (address: string) =>
      Effect.gen(function*() {
        const brain = yield* Brain
        yield* reportSkew
        yield* runSession({
          handovers,
          isReconnected: state.isAway,
          onReady: Effect.provideService(onReady(address), Brain, brain),
          projects: settings.projects,
          ticks,
          wakeHandovers: handoverQueue,
          wakeTicks
        })
      }).pipe(Effect.provide(connect(address, instanceId)))

    const noteEnd = (cause: Cause.Cause<ConnectionError>) =>
      Effect.gen(function*() {
        const reason = reasonOf(cause)
        const isNew = state.error !== reason
        state.isAway ||= state.connectedAt !== null
        state.brain = null
        state.connectedAt = null
        state.error = reason
        yield* writeState
        if (isNew) yield* Effect.logWarning(`no connection to the brain: ${reason}. Retrying with back-off`)
      })

    /** Connects again with back-off, at most 5 s and with jitter, so that many schedulers do not come back at once. */
    const keepConnected = Effect.gen(function*() {
      let pauseMillis = firstPauseMillis
      let attempt = 0
      while (true) {
        const address = settings.brain[attempt % settings.brain.length] ?? ""
        const exit = yield* Effect.exit(Effect.raceFirst(sessionWith(address), awaitReconnect))
        if (Exit.isSuccess(exit)) {
          yield* Effect.logInfo("connecting again")
          pauseMillis = firstPauseMillis
          continue
        }
        attempt++
        if (state.connectedAt !== null) pauseMillis = firstPauseMillis
        yield* noteEnd(exit.cause)
        const share = yield* Random.next
        yield* Effect.raceFirst(Effect.sleep(pauseMillis * (0.5 + share / 2)), awaitReconnect)
        pauseMillis = Math.min(pauseMillis * 2, longestPauseMillis)
      }
    })

    yield* forever("deciding about ticks", decide)
    yield* forever("writing the state", Effect.zipRight(writeState, Effect.sleep("2 seconds")))
    yield* forever("keeping the connection", keepConnected)
    yield* Effect.onInterrupt(Effect.never, () => state.brain === null ? Effect.void : drain(handovers, state.brain))
  })
