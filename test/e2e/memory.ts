import { Effect, Schedule } from "effect"
import { readFileSync } from "node:fs"
import type { BrainProcess } from "./brainProcess.ts"

export const mebibyte = 1024 * 1024

const statusOf = (pid: number, field: string): number => {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").split("\n").find((one) => one.startsWith(`${field}:`))
  return Number(line?.replace(/\D/g, "") ?? 0) * 1024
}

/**
 * Samples the memory of a brain's process for as long as the scope lives. `peakBytes` is the most that the process
 * itself held: its resident set without the pages of files that are mapped (the database file on SQLite), which
 * the kernel drops when it needs the room.
 */
export const memoryOf = (brain: BrainProcess) =>
  Effect.gen(function*() {
    let peakBytes = 0
    const sample = Effect.sync(() => {
      peakBytes = Math.max(peakBytes, statusOf(brain.pid(), "RssAnon"))
    })
    yield* Effect.forkScoped(Effect.repeat(sample, Schedule.spaced("10 millis")))
    return {
      peakBytes: () => peakBytes,
      /** The whole resident set at its highest, with mapped files. */
      resident: () => statusOf(brain.pid(), "VmHWM")
    }
  })
