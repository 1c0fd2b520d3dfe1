import { Effect, Exit, Logger, LogLevel, Scope } from "effect"
import { make, type RunningAgent } from "./Agent.ts"
import type { AgentStatus } from "./AgentStatus.ts"
import { catchThrows, type Log } from "./Log.ts"
import type { AgentOptions } from "./Options.ts"

/** An agent in an application without Effect. */
export interface AgentHandle extends RunningAgent {
  /** Closes the agent: it sends unsent events for up to three seconds and keeps the rest for the next process. */
  readonly close: () => Promise<void>
}

/**
 * Starts an agent. Never rejects: for invalid options it says so in the log and in `status()`, and the host runs on
 * without it.
 */
export const startAgent = async (options: AgentOptions): Promise<AgentHandle> => {
  const log = catchThrows(options.log ?? logToStandardError)
  const { scope, started: exit } = await Effect.runPromise(Effect.gen(function*() {
    const scope = yield* Scope.make()
    const agent = Effect.provide(Scope.extend(make({ ...options, log }), scope), redirectLogger(log))
    return { scope, started: yield* Effect.exit(agent) }
  }))
  let closing: Promise<void> | null = null
  const close = () => (closing ??= keepProcessAlive(Effect.runPromiseExit(Scope.close(scope, Exit.void))))
  if (Exit.isSuccess(exit)) return { ...exit.value, close }
  const problem = exit.cause._tag === "Fail" ? exit.cause.error.message : "The agent failed while it started."
  log("error", `${problem} The agent does not run; the application does.`)
  return { status: () => ({ ...refusedStatus, problem }), report: () => {}, close }
}

/** Keeps the process alive until the agent has closed: the agent's own timers and sockets do not. */
const keepProcessAlive = async (work: Promise<unknown>): Promise<void> => {
  const timer = setInterval(() => {}, 60_000)
  await work
  clearInterval(timer)
}

const refusedStatus: AgentStatus = {
  state: "refused",
  transport: null,
  connectedAt: null,
  problem: null,
  problemKind: null,
  nextTryAt: null,
  buffer: { events: 0, unwritten: 0, bytes: 0, path: null },
  lostEvents: 0,
  commandsWaiting: 0,
  snapshotsWaiting: 0,
  engines: {}
}

/** Engines' log lines go where the agent's own go, not to the host's standard output. */
const redirectLogger = (log: Log) =>
  Logger.replace(
    Logger.defaultLogger,
    Logger.make(({ logLevel, message }) => {
      if (LogLevel.lessThan(logLevel, LogLevel.Info)) return
      const level = LogLevel.lessThan(logLevel, LogLevel.Warning)
        ? "info"
        : LogLevel.lessThan(logLevel, LogLevel.Error)
        ? "warning"
        : "error"
      log(level, Array.isArray(message) ? message.map(String).join(" ") : String(message))
    })
  )

const logToStandardError: Log = (level, message) => {
  if (level !== "info") process.stderr.write(`svc agent: ${level}: ${message}\n`)
}
