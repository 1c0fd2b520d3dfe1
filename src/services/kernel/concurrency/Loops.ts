import { type Cause, Clock, type Duration, Effect, Schedule } from "effect"
import { describeCause } from "../../../domain/kernel/ErrorMeaning.ts"
import { Metrics } from "../Metrics.ts"

export interface LoopState {
  readonly name: string
  /** Epoch milliseconds of the last successful tick, or null. */
  readonly last_success: number | null
  /** One line, while the loop is failing. */
  readonly error: string | null
}

interface BackOffOptions {
  /** Between failures that follow each other. */
  readonly longestPause?: Duration.DurationInput
}

/** All upkeep begins with the brain: with more, a start would open as many connections to PostgreSQL as the pool may. */
const maxUpkeep = 2

/** The pauses between failures in a row: 100 ms, doubled each time up to `longest`, with 20 % jitter. */
const backOff = (longest: Duration.DurationInput) =>
  Schedule.exponential("100 millis").pipe(Schedule.union(Schedule.spaced(longest)), Schedule.jittered)

/**
 * The long-lived loops of the brain: named, supervised fibers. A failed tick is logged and counted, and the loop
 * continues with back-off. `/health/deep` and `svc_background_task_error_active` show its state.
 */
export class Loops extends Effect.Service<Loops>()("svc/Loops", {
  effect: Effect.gen(function*() {
    const metrics = yield* Metrics
    const upkeepPermits = yield* Effect.makeSemaphore(maxUpkeep)
    const states = new Map<string, { last_success: number | null; error: string | null }>()

    /** For work that failed and is left out, so that the loop continues: its state shows the failure until a success. */
    const markFailed = (name: string, cause: Cause.Cause<unknown>) =>
      Effect.sync(() => {
        const state = states.get(name)
        if (state !== undefined) state.error = describeCause(cause)
        metrics.backgroundTaskErrorActive.set({ task: name }, 1)
      })
    /** The failure that a loop met the last time too is one line of the log, without its stack. */
    const reportFailure = (name: string, cause: Cause.Cause<unknown>) =>
      Effect.suspend(() => {
        const reason = describeCause(cause)
        const isSame = states.get(name)?.error === reason
        return Effect.zipRight(
          markFailed(name, cause),
          isSame
            ? Effect.logError(`loop ${name} failed again: ${reason}`)
            : Effect.logError(`loop ${name} failed; it retries with back-off`, cause)
        )
      })
    /** For a loop whose work does not end, after each round that went well. */
    const reportSuccess = (name: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        states.set(name, { last_success: now, error: null })
        metrics.backgroundTaskErrorActive.set({ task: name }, 0)
      })

    /** Runs `tick` at once, and again `interval` after each run ended, until the scope closes. */
    const every = <E, R>(
      name: string,
      interval: Duration.DurationInput,
      tick: Effect.Effect<unknown, E, R>,
      pauses: BackOffOptions = {}
    ) => forever(name, Effect.zipRight(tick, Effect.zipRight(reportSuccess(name), Effect.sleep(interval))), pauses)

    /**
     * Repeats `work` until the scope closes; `work` itself waits for something to do. `longestPause` limits the
     * back-off after consecutive failures; a success resets it.
     */
    const forever = <E, R>(
      name: string,
      work: Effect.Effect<unknown, E, R>,
      { longestPause = "30 seconds" }: BackOffOptions = {}
    ) =>
      Effect.gen(function*() {
        states.set(name, { last_success: null, error: null })
        metrics.backgroundTaskErrorActive.set({ task: name }, 0)
        const pauses = yield* Schedule.driver(backOff(longestPause))
        // one driver for all iterations: a retry around each would cost a success 20 µs instead of 0.5 µs
        const onFailure = (cause: Cause.Cause<E>) =>
          Effect.gen(function*() {
            if (states.get(name)?.error === null) yield* pauses.reset
            yield* reportFailure(name, cause)
            yield* Effect.orDie(pauses.next(cause))
          })
        yield* Effect.zipRight(work, reportSuccess(name)).pipe(
          Effect.catchAllCause(onFailure), // a defect is a failure of the loop too
          Effect.forever,
          Effect.withSpan(name, { root: true }),
          Effect.annotateLogs("logger", name),
          Effect.forkScoped
        )
      })

    /** As `every`, for retention and the like, which may wait: a few of them run at the same time. */
    const upkeep = <E, R>(name: string, interval: Duration.DurationInput, tick: Effect.Effect<unknown, E, R>) =>
      every(name, interval, upkeepPermits.withPermits(1)(tick))

    const state = Effect.sync((): ReadonlyArray<LoopState> => [...states].map(([name, state]) => ({ name, ...state })))

    return { every, forever, upkeep, markFailed, reportSuccess, state } as const
  })
}) {
  static readonly layer = this.Default
}
