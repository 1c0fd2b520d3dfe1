import { Cause, Context, Effect, FiberSet, Layer, Option, type Scope } from "effect"
import { checkEffectVersion } from "../../domain/kernel/EffectVersion.ts"
import * as Redaction from "../../domain/kernel/Redaction.ts"
import { isOutputEventKind } from "../../domain/kernel/TaskEvent.ts"
import { MAX_FRAME_BYTES } from "../../protocol/Payload.ts"
import type { AgentStatus } from "./AgentStatus.ts"
import { BufferFolder, type ClaimedBuffer } from "./BufferFolder.ts"
import { CommandJournal } from "./CommandJournal.ts"
import { makeCommandRunner } from "./CommandRunner.ts"
import { keepConnected, sendHeartbeats } from "./Connection.ts"
import { Core } from "./Core.ts"
import type { Engine, EngineEvent, ReportEvent } from "./Engine.ts"
import { makeEngineHealth } from "./EngineHealth.ts"
import { EventEncoder } from "./EventEncoder.ts"
import { catchThrows, type Log } from "./Log.ts"
import { type AgentOptions, type AgentRefused, checkOptions } from "./Options.ts"
import { Outbox } from "./Outbox.ts"
import { makeScheduleStreams, publishPeriodically } from "./ScheduleStream.ts"
import { unrefClock } from "./UnrefClock.ts"

/** A running agent. It needs nothing more from its host. */
export interface RunningAgent {
  readonly status: () => AgentStatus
  /** Reports an event of an engine from outside its adapter. */
  readonly report: (engine: string, event: EngineEvent) => void
}

/** How long a closing agent sends unsent events and results. The rest stays in the buffer for the next process. */
const FINAL_FLUSH_TIMEOUT = "3 seconds"
const POLL_INTERVAL = "20 millis"
const ADOPTION_INTERVAL = "60 seconds"

/**
 * An agent beside one or more engines, running until the scope closes. Fails only for invalid options. All other
 * failures stay inside, are logged, and are shown in `status()`.
 */
export const make = (options: AgentOptions): Effect.Effect<RunningAgent, AgentRefused, Scope.Scope> =>
  Effect.flatMap(Effect.clock, (clock) => Effect.withClock(run(options), unrefClock(clock)))

const run = Effect.fnUntraced(function*(options: AgentOptions) {
  const config = yield* checkOptions(options)
  const clock = yield* Effect.clock
  const now = () => clock.unsafeCurrentTimeMillis()
  const log = catchThrows(options.log ?? (yield* effectLog))
  const redaction = Redaction.make(config.redactExtraKeys)
  const folder = new BufferFolder(config.home, config.bufferKey, log)
  const outbox = new Outbox(folder.claim(), folder, config.limits, now, log)
  const journal = new CommandJournal(() => outbox.file, now, log)
  const core = new Core(config, outbox, journal, now, log)

  const flushAtExit = () => outbox.flush()
  process.once("exit", flushAtExit)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      process.off("exit", flushAtExit)
      core.state = "closed"
      outbox.close(journal.hasEntries)
    })
  )
  const streams = makeScheduleStreams(config.engines, {
    snapshots: outbox.snapshots,
    redaction,
    now,
    log,
    maxBytes: () => core.session?.maxBytes ?? MAX_FRAME_BYTES,
    wake: () => core.session?.wake(),
    stateOf: (engine) => core.engineStates[engine]?.state ?? "starting"
  })
  core.onCommand = yield* makeCommandRunner(core, redaction, streams)
  yield* forkLoop(core, "the connection", keepConnected(core))
  yield* forkLoop(
    core,
    "the heartbeat",
    sendHeartbeats(core, yield* makeEngineHealth(config.engines, redaction, core.startProblemOf))
  )
  if (streams.length > 0) yield* forkLoop(core, "the schedule publisher", publishPeriodically(streams))
  yield* forkLoop(core, "the buffer adoption", adoptBuffers(core, folder))
  // Finalizers run in reverse order: this one runs before those above.
  yield* Effect.addFinalizer(() => drainOutbox(core))

  const capture = new EventEncoder(redaction, now)
  const report = (engine: string, event: EngineEvent): void => {
    const isOutput = isOutputEventKind(event.kind)
    if (isOutput && !core.wantsOutput) return
    const text = capture.encode(engine, event)
    if (text === null) core.countUnreadable(engine)
    else if (isOutput) core.addOutput(text)
    else outbox.add(text)
  }
  yield* Effect.forEach(config.engines, (engine) => startEngine(core, engine, (event) => report(engine.name, event)))
  return { status: () => core.status(), report } satisfies RunningAgent
})

const startEngine = (core: Core, engine: Engine, report: ReportEvent): Effect.Effect<void, never, Scope.Scope> => {
  core.engineStates[engine.name] = { state: "starting" }
  return Effect.suspend(() => engine.start(report)).pipe(
    Effect.matchCause({
      onSuccess: () => {
        core.engineStates[engine.name] = { state: "running" }
      },
      onFailure: (cause) => {
        if (Cause.isInterruptedOnly(cause)) return
        const problem = Option.match(Cause.failureOption(cause), {
          onSome: ({ message }) => message,
          onNone: () => String(Cause.squash(cause))
        })
        core.engineStates[engine.name] = { state: "failed", problem }
        core.log("error", `the engine ${engine.name} did not start: ${problem}`)
      }
    }),
    Effect.forkScoped,
    Effect.asVoid
  )
}

/** A loop of the agent, restarted with a delay when it fails. */
const forkLoop = (core: Core, name: string, loop: Effect.Effect<never>) =>
  loop.pipe(
    Effect.catchAllCause((cause) => {
      if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
      core.log("error", `${name} failed and restarts in 5 s: ${String(Cause.squash(cause))}`)
      return Effect.sleep("5 seconds")
    }),
    Effect.forever,
    Effect.forkScoped
  )

/** Takes over the buffers of dead processes, a few rows at a time. */
const adoptBuffers = (core: Core, folder: BufferFolder): Effect.Effect<never> =>
  Effect.gen(function*() {
    for (;;) {
      const other = core.outbox.claimAbandoned()
      if (other === null) yield* Effect.sleep(ADOPTION_INTERVAL)
      else yield* adoptBuffer(core, folder, other)
    }
  })

const adoptBuffer = (core: Core, folder: BufferFolder, other: ClaimedBuffer): Effect.Effect<void> =>
  Effect.gen(function*() {
    const { events } = other.file
    while (core.outbox.adopt(other)) yield* Effect.sleep("10 millis")
    core.journal.adopt(other.file.listCommands())
    core.outbox.adoptLoss(other.file.readLoss())
    core.outbox.flush()
    core.session?.wake()
    if (events > 0) core.log("info", `took over ${events} unsent events of an ended process`)
    folder.remove(other)
  }).pipe(Effect.catchAllCause((cause) =>
    Effect.suspend(() => {
      core.log("warning", `the buffer of an ended process cannot be taken over: ${String(Cause.squash(cause))}`)
      return Effect.zipRight(
        Effect.sync(() => folder.release(other, Cause.squash(cause))),
        Effect.sleep(ADOPTION_INTERVAL)
      )
    })
  ))

/** Sends unsent events and results while the brain is connected. */
const drainOutbox = (core: Core): Effect.Effect<void> =>
  Effect.sync(() => core.outbox.flush()).pipe(
    Effect.zipRight(
      Effect.repeat(Effect.sleep(POLL_INTERVAL), { until: () => core.session === null || core.outbox.events === 0 })
    ),
    Effect.interruptible,
    Effect.timeoutOption(FINAL_FLUSH_TIMEOUT),
    Effect.asVoid
  )

/** The application's own logger. */
const effectLog = Effect.map(FiberSet.makeRuntime<never>(), (fork): Log => {
  const levels = { info: Effect.logInfo, warning: Effect.logWarning, error: Effect.logError }
  return (level, message) => void fork(Effect.annotateLogs(levels[level](message), { logger: "agent" }))
})

/** The running agent, for an application on Effect. */
export class Agent extends Context.Tag("svc/Agent")<Agent, RunningAgent>() {
  /** The agent in a scope of the application's own. */
  static readonly make = (options: AgentOptions): Effect.Effect<RunningAgent, AgentRefused, Scope.Scope> =>
    Effect.zipRight(checkEffectVersion, make(options))

  static readonly layer = (options: AgentOptions): Layer.Layer<Agent, AgentRefused> =>
    Layer.scoped(Agent, Agent.make(options))
}
