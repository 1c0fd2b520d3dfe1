import { status } from "@grpc/grpc-js"
import { Effect, Queue, Stream } from "effect"
import { randomUUID } from "node:crypto"
import {
  type ScheduleChange_Kind,
  ScheduleChange_Kind as ChangeKind,
  type ScheduleSnapshotFrame,
  type ScheduleWatchFrame,
  type WatchSchedulesV2Request
} from "../../proto/generated/scheduler.ts"
import type { Schedule } from "../domain/schedules/Schedule.ts"
import { yieldToEventLoop } from "../services/kernel/concurrency/EventLoop.ts"
import { makeFairSemaphore } from "../services/kernel/concurrency/FairQueue.ts"
import { Hints } from "../services/kernel/sql/Database.ts"
import type { Scope } from "../services/schedules/Repo.ts"
import { SchedulerProtocol } from "../services/schedules/SchedulerProtocol.ts"
import { CallFailed, readProjectId, readRevision } from "./Convert.ts"
import { type Peer, type Peers, requireNegotiated, type StreamKind } from "./Peers.ts"
import { currentVersion, makeSnapshotDigest, type writeSchedule } from "./ScheduleMessage.ts"

/**
 * Streams of one certificate name. A program opens one for changes, and a second one while the first is still closing; it
 * takes a snapshot when it starts, and one of each project that it requests.
 */
const maxStreams: Readonly<Record<StreamKind, number>> = { watches: 4, snapshots: 4 }

const streamNames: Readonly<Record<StreamKind, string>> = { watches: "streams of changes", snapshots: "snapshots" }

/** Snapshots that a process reads and sends at once, of all schedulers: each has all its schedules in memory. */
const maxSnapshots = 4

/** Rows of a snapshot between two turns of the event loop: about two milliseconds of work. */
const rowsPerTurn = 50

/** A stream checks for changes at least this often, because a hint may be lost. */
const pollPause = "1 second"

const readScope = (projectId: string): Effect.Effect<Scope, CallFailed> =>
  projectId === "" ? Effect.succeed(null) : readProjectId("project_id", projectId)

/** What a scheduler reads of its schedules as streams: all of them, and their changes. `write` makes their messages. */
export const makeScheduleFeeds = (
  peers: Peers,
  write: (schedule: Schedule, fingerprint: string) => ReturnType<typeof writeSchedule>
) =>
  Effect.gen(function*() {
    const protocol = yield* SchedulerProtocol
    const hints = yield* Hints
    const snapshotsInTurn = makeFairSemaphore(maxSnapshots)

    /** Counts the stream while it is open. */
    const counting = <R>(kind: StreamKind, peer: Peer, stream: Effect.Effect<void, CallFailed, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void peer.streams[kind]++),
        () =>
          peers.countStreams(peer.name, kind) > maxStreams[kind]
            ? new CallFailed({
              code: status.RESOURCE_EXHAUSTED,
              details: `A scheduler has at most ${maxStreams[kind]} ${streamNames[kind]}.`
            })
            : stream,
        () => Effect.sync(() => void peer.streams[kind]--)
      )

    const sendSnapshot = (
      projectId: string,
      peer: Peer,
      sendFrame: (frame: ScheduleSnapshotFrame["frame"]) => Effect.Effect<void, CallFailed>
    ) =>
      Effect.gen(function*() {
        const fingerprint = yield* requireNegotiated(peer)
        const { revision, schedules } = yield* protocol.readSnapshot(yield* readScope(projectId))
        const snapshot_id = randomUUID()
        const header = { format_version: currentVersion, snapshot_id, project_id: projectId.toLowerCase() }
        const totals = { ...header, watermark: BigInt(revision), row_count: BigInt(schedules.length) }
        const digest = makeSnapshotDigest(totals)
        yield* sendFrame({ $case: "header", value: header })
        for (const [index, schedule] of schedules.entries()) {
          if (index % rowsPerTurn === rowsPerTurn - 1) yield* yieldToEventLoop
          const message = write(schedule, fingerprint)
          digest.add(schedule, message)
          yield* sendFrame({ $case: "row", value: { snapshot_id, schedule: message } })
        }
        yield* sendFrame({ $case: "complete", value: { ...totals, digest: digest.finish() } })
      }).pipe(snapshotsInTurn, (stream) => counting("snapshots", peer, stream))

    const upsert = (schedule: Schedule, revision: number, fingerprint: string) =>
      changeFrame(ChangeKind.UPSERT, revision, schedule.project_id, { schedule: write(schedule, fingerprint) })

    const watch = (
      { after_revision, project_id }: WatchSchedulesV2Request,
      peer: Peer,
      sendFrame: (frame: ScheduleWatchFrame["frame"]) => Effect.Effect<void, CallFailed>
    ) =>
      Effect.gen(function*() {
        const fingerprint = yield* requireNegotiated(peer)
        const scope = yield* readScope(project_id)
        let seen = yield* readRevision("after_revision", after_revision)
        const wake = yield* Queue.sliding<void>(1)
        yield* Effect.forkScoped(
          Stream.runForEach(
            Stream.filter(hints.subscribe("schedules"), (id) => scope === null || id === scope),
            () => wake.offer(undefined)
          )
        )
        while (true) {
          const next = yield* protocol.readChanges(scope, seen)
          if (!next.isComplete) {
            return yield* new CallFailed({
              code: status.OUT_OF_RANGE,
              details: `Changes after revision ${seen} are not complete any more. Take a new snapshot.`
            })
          }
          for (const change of next.changes) {
            yield* sendFrame({
              $case: "change",
              value: "schedule" in change
                ? upsert(change.schedule, change.revision, fingerprint)
                : changeFrame(ChangeKind.TOMBSTONE, change.revision, change.project_id, {
                  deleted_id: change.deleted_id
                })
            })
          }
          if (next.through > (next.changes.at(-1)?.revision ?? seen)) {
            yield* sendFrame({
              $case: "scanned_through",
              value: { scanned_through_revision: BigInt(next.through), server_revision: BigInt(next.revision) }
            })
          }
          seen = next.through
          if (seen === next.revision) yield* Effect.raceFirst(wake.take, Effect.sleep(pollPause))
        }
      }).pipe(Effect.scoped, (stream) => counting("watches", peer, stream))

    return { sendSnapshot, watch } as const
  })

const changeFrame = (
  kind: ScheduleChange_Kind,
  revision: number,
  project_id: string,
  { deleted_id = "", schedule }: { readonly deleted_id?: string; readonly schedule?: ReturnType<typeof writeSchedule> }
) => ({ kind, revision: BigInt(revision), project_id, schedule, deleted_id })
