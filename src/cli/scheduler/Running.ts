import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { lockFile } from "../../scheduler/Scheduler.ts"
import { type RunState, Store, type StoreCounts, type StoredProject } from "../../scheduler/Store.ts"
import { acquireFileLock } from "../../services/kernel/FileLock.ts"

/** What the home folder says of the program that runs, or ran, there. */
export interface Running {
  readonly isRunning: boolean
  /** Null: none ran there yet. */
  readonly state: RunState | null
  readonly projects: ReadonlyArray<StoredProject>
  readonly counts: StoreCounts
  readonly instanceId: string | null
}

const nothing: Omit<Running, "isRunning"> = {
  state: null,
  projects: [],
  counts: { schedules: 0, waiting_fires: 0, oldest_waiting: null },
  instanceId: null
}

/** The lock ends with the process that holds it, so a held one proves that the process is there. */
const isLocked = (home: string) =>
  existsSync(lockFile(home))
    ? Effect.scoped(acquireFileLock(lockFile(home))).pipe(
      Effect.as(false),
      Effect.catchTag("LockHeld", () => Effect.succeed(true))
    )
    : Effect.succeed(false)

export const readRunning = (home: string): Effect.Effect<Running, SqlError> =>
  Effect.gen(function*() {
    const isRunning = yield* isLocked(home)
    const store = yield* Store.readBeside(home)
    if (store === undefined) return { ...nothing, isRunning }
    return {
      isRunning,
      state: store.readRunState(),
      projects: store.listProjects(),
      counts: store.counts(),
      instanceId: store.readSetting("instance_id") ?? null
    }
  }).pipe(Effect.scoped)
