import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Stream } from "effect"
import { type Cli, exitCodeAfter, runCli } from "./Run.ts"

const endingSignals = ["SIGINT", "SIGTERM"] as const

/**
 * npm passes Ctrl-C on to a program that has it from the terminal already, and a parent with workers does the same: what
 * comes within a second of the first signal is the same one. A later one ends the process at once.
 */
const ignoreRepeatedSignals = () => {
  const stopIgnoring = () => {
    for (const signal of endingSignals) process.off(signal, ignore)
  }
  const ignore = () => void setTimeout(stopIgnoring, 1000).unref()
  for (const signal of endingSignals) process.on(signal, ignore)
}

/** Runs a program as this process. */
export const runMain = (cli: Cli): void => {
  ignoreRepeatedSignals()
  // The reader of a pipe may stop early (`svc status | head`); further output is pointless.
  process.stdout.on("error", () => process.exit(0))

  /** On a terminal that supports colours, unless NO_COLOR is set (https://no-color.org). */
  const colours = process.stdout.isTTY && (process.env.NO_COLOR ?? "") === "" && process.env.TERM !== "dumb"

  /** Few commands read it, so its module loads when one does. */
  const standardInput = Stream.unwrap(
    Effect.map(Effect.promise(() => import("@effect/platform-node/NodeStream")), ({ stdin }) => stdin)
  )

  NodeRuntime.runMain(runCli({ cli, args: process.argv, environment: process.env, standardInput, colours }), {
    disableErrorReporting: true,
    disablePrettyLogger: true,
    teardown: (exit, onExit) => onExit(exitCodeAfter(exit, Number(process.exitCode ?? 0)))
  })
}
