import { Effect } from "effect"
import type { AgentEvent } from "../domain/kernel/TaskEvent.ts"
import { isSameEpoch } from "../domain/schedules/Schedule/External.ts"
import {
  MAX_SNAPSHOT_BYTES,
  PublicationRefused,
  readSnapshotPart,
  SnapshotAssembly
} from "../protocol/SchedulePublication.ts"
import { ScheduleStreams } from "../services/schedules/Streams.ts"

/** Bytes of all snapshots in memory: those that wait for the database, and the unfinished ones of all sessions. */
const maxSnapshotBytes = 64 * 1024 * 1024
/** An agent sends the next frame after the ack of the one before, so an older snapshot will not be finished. */
const maxAgeMillis = 10 * 60_000

/**
 * Keeps the frames of snapshots in memory until each is complete: an epoch ends with its connection, and the next one
 * begins with a new snapshot. `queuedBytes`: those of complete snapshots that wait for the database.
 */
export const makeSnapshotAssemblies = (queuedBytes: () => number) =>
  Effect.gen(function*() {
    const streams = yield* ScheduleStreams
    const clock = yield* Effect.clock
    /** The unfinished snapshot of each session and scheduler. */
    const assemblies = new Map<string, SnapshotAssembly>()

    /**
     * Frees memory for a frame of the assembly: unfinished snapshots that are too old, or whose epoch ended, are dropped,
     * and while that is not enough, the oldest of the others. False if snapshots that wait for the database fill it.
     */
    const reserve = (bytes: number, own: SnapshotAssembly, now: number): boolean => {
      let total = queuedBytes() + bytes
      for (const [key, assembly] of assemblies) {
        const { beganAt, head: { epoch }, sessionId } = assembly
        const current = streams.findEpoch(sessionId, epoch.owner)
        const isUnfinishable = now - beganAt > maxAgeMillis || current === undefined || !isSameEpoch(current, epoch)
        if (isUnfinishable) assemblies.delete(key)
        else total += assembly.bytes
      }
      for (const [key, assembly] of assemblies) {
        if (total <= maxSnapshotBytes) break
        if (assembly === own) continue
        assemblies.delete(key)
        total -= assembly.bytes
      }
      return total <= maxSnapshotBytes
    }

    /** The snapshot that this frame completes; null while frames are missing. */
    return (
      event: AgentEvent,
      sessionId: string
    ): SnapshotAssembly | PublicationRefused | "stale" | null => {
      const part = readSnapshotPart(event.data)
      if (part instanceof PublicationRefused) return part
      const { owner } = part.epoch
      const epoch = streams.findEpoch(sessionId, owner)
      if (epoch === undefined || !isSameEpoch(epoch, part.epoch)) return "stale"
      const key = `${sessionId} ${owner}`
      const now = clock.unsafeCurrentTimeMillis()
      const known = assemblies.get(key)
      if (known !== undefined && !known.includes(part)) {
        if (part.sequence < known.head.sequence) return "stale"
        if (part.sequence === known.head.sequence && isSameEpoch(part.epoch, known.head.epoch)) {
          assemblies.delete(key)
          return new PublicationRefused("bad_frame", "Two frames of one sequence are of different snapshots.")
        }
        assemblies.delete(key)
      }
      const assembly = assemblies.get(key) ?? new SnapshotAssembly(part, sessionId, now, event.occurredAt)
      if (assembly.bytes + part.rows.length > MAX_SNAPSHOT_BYTES) {
        assemblies.delete(key)
        return new PublicationRefused("too_large", `Its schedules have more than ${MAX_SNAPSHOT_BYTES} bytes.`)
      }
      if (!reserve(part.rows.length, assembly, now)) {
        assemblies.delete(key)
        return new PublicationRefused("overload", "Too many snapshots of agents wait for the database.")
      }
      assembly.add(part)
      assemblies.set(key, assembly)
      if (!assembly.isComplete) return null
      assemblies.delete(key)
      return assembly
    }
  })
