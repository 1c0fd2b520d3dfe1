#!/usr/bin/env node
// Deep imports: the package's index would load undici and a WebSocket library before `svc version` could answer.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Cause, Console, Effect, Exit, Layer, Logger } from "effect"
import { cli } from "./Command.ts"
import { makeConsole } from "./Console.ts"
import { Environment } from "./Environment.ts"
import { exitCodeOf, explain } from "./Explain.ts"

const report = (cause: Cause.Cause<unknown>) => {
  const line = Cause.isInterruptedOnly(cause) ? undefined : explain(cause)
  return line === undefined ? Effect.void : Console.error(line)
}

const main = cli(process.argv).pipe(
  Effect.provide(Logger.remove(Logger.defaultLogger)), // commands print their own output; `serve` provides its own logger
  Effect.tapErrorCause(report),
  Effect.provideService(Environment, process.env),
  Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer))
)

// The reader of a pipe may stop early (`svc status | head`); further output is pointless.
process.stdout.on("error", () => process.exit(0))

/** On a terminal that supports colours, unless NO_COLOR is set (https://no-color.org). */
const colours = process.stdout.isTTY && (process.env.NO_COLOR ?? "") === "" && process.env.TERM !== "dumb"

NodeRuntime.runMain(Effect.consoleWith((console) => Effect.withConsole(main, makeConsole(console, colours))), {
  disableErrorReporting: true,
  disablePrettyLogger: true,
  teardown: (exit, onExit) =>
    onExit(
      Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)
        ? exitCodeOf(Cause.squash(exit.cause))
        : Number(process.exitCode ?? 0)
    )
})
