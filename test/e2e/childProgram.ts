import { Effect } from "effect"
import { type ChildProcess, spawn } from "node:child_process"

/** Waits for the end of a process. */
export const ended = (child: ChildProcess) =>
  Effect.async<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
  })

/** A program of others that runs until the scope ends: SIGTERM, and SIGKILL 8 s later. */
export const startProgram = (
  program: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> }
) =>
  Effect.gen(function*() {
    let log = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(program, [...args], { ...options, stdio: ["ignore", "pipe", "pipe"] })
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (log += String(chunk)))
        return child
      }),
      (child) =>
        Effect.sync(() => child.kill("SIGTERM")).pipe(
          Effect.zipRight(ended(child)),
          Effect.interruptible,
          Effect.timeoutOption("8 seconds"),
          Effect.zipRight(Effect.sync(() => child.kill("SIGKILL")))
        )
    )
    return { child, log: () => log }
  })
