// Deep imports: the package's index would load undici and a WebSocket library before `svc version` could print anything.
import type { CliApp } from "@effect/cli"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import { Cause, Console, Effect, Exit, Layer, Logger, type Stream } from "effect"
import { makeConsole } from "../io/Console.ts"
import { StandardInput } from "../io/StandardInput.ts"
import { Environment } from "./Environment.ts"
import { exitCodeOf, explain } from "./Explain.ts"

const report = (cause: Cause.Cause<unknown>) => {
  const line = Cause.isInterruptedOnly(cause) ? undefined : explain(cause)
  return line === undefined ? Effect.void : Console.error(line)
}

/** A program: runs the command that its arguments name. */
export interface Cli {
  readonly name: string
  readonly run: (
    args: ReadonlyArray<string>
  ) => Effect.Effect<void, unknown, CliApp.CliApp.Environment | Environment | StandardInput>
}

/** Runs the command of the program that these arguments of a process name, and prints a failure as one line. */
export const runCli = (
  { args, cli, colours, environment, standardInput }: {
    /** The program's path, the script's path, and what a person typed. */
    readonly args: ReadonlyArray<string>
    readonly cli: Cli
    readonly environment: Readonly<Record<string, string | undefined>>
    readonly standardInput: Stream.Stream<Uint8Array, unknown>
    readonly colours: boolean
  }
) => {
  const main = cli.run(args).pipe(
    Effect.provide(Logger.remove(Logger.defaultLogger)), // commands print their own output; `serve` provides its own logger
    Effect.tapErrorCause(report),
    Effect.provideService(Environment, environment),
    Effect.provideService(StandardInput, standardInput),
    Effect.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeTerminal.layer))
  )
  return Effect.consoleWith((console) => Effect.withConsole(main, makeConsole(cli.name, console, colours)))
}

/** The exit code of a program that ended like this; `fallback` unless it failed. */
export const exitCodeAfter = (exit: Exit.Exit<unknown, unknown>, fallback: number): number =>
  Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause) ? exitCodeOf(Cause.squash(exit.cause)) : fallback
