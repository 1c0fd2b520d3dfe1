import { type Console, Effect, Stream } from "effect"
import { cli as svc } from "../../src/cli/Command.ts"
import { type Cli, exitCodeAfter, runCli } from "../../src/cli/program/Run.ts"
import type { Ran, Settings } from "./svc.ts"

interface Options {
  readonly input?: string
  readonly cli?: Cli
  /** Changes the program that runs, such as `asNextProgram`. */
  readonly as?: <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Runs `svc`, or another program, to its end in this process: the start of a process takes half a second. */
export const svcHere = (
  args: ReadonlyArray<string>,
  settings: Settings,
  { as = (program) => program, cli = svc, input = "" }: Options = {}
): Effect.Effect<Ran> =>
  Effect.promise(async () => {
    let stdout = ""
    let stderr = ""
    const console = await Effect.runPromise(Effect.console)
    const captured: Console.Console = {
      ...console,
      log: (...parts) => Effect.sync(() => void (stdout += `${parts.map(String).join(" ")}\n`)),
      error: (...parts) => Effect.sync(() => void (stderr += `${parts.map(String).join(" ")}\n`))
    }
    const program = runCli({
      cli,
      args: ["node", "svc", ...args],
      environment: settings,
      standardInput: Stream.make(Buffer.from(input)),
      colours: false
    })
    const exit = await Effect.runPromiseExit(Effect.withConsole(as(program), captured))
    return { code: exitCodeAfter(exit, 0), stdout, stderr }
  })
