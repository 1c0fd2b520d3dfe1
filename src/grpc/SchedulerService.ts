import { status } from "@grpc/grpc-js"
import { Clock, Effect, Queue, Stream } from "effect"
import { randomUUID } from "node:crypto"
import {
  type AdvanceScheduleCursorRequest,
  type AdvanceScheduleCursorResponse,
  CursorTransitionDisposition,
  FireDisposition,
  type FireScheduleRequest,
  type FireScheduleResponse,
  QuarantineOutcome,
  type ScheduleChange_Kind,
  ScheduleChange_Kind as ChangeKind,
  type SchedulerProtocolCapabilities,
  type SchedulerServiceServer,
  type ScheduleSnapshotFrame,
  type ScheduleWatchFrame,
  type WatchSchedulesV2Request
} from "../../proto/generated/scheduler.ts"
import { toStorable } from "../domain/kernel/Text.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { version } from "../domain/kernel/Version.ts"
import type { Schedule } from "../domain/schedules/Schedule.ts"
import { isAboutDefinition } from "../domain/schedules/Schedule/Recovery.ts"
import { digestFire } from "../domain/schedules/Schedule/WaitingFire.ts"
import { yieldToEventLoop } from "../services/kernel/concurrency/EventLoop.ts"
import { makeFairSemaphore } from "../services/kernel/concurrency/FairQueue.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { Hints } from "../services/kernel/sql/Database.ts"
import type { Scope } from "../services/schedules/Repo.ts"
import { type Observation, type Refusal, SchedulerProtocol } from "../services/schedules/SchedulerProtocol.ts"
import { makeCalls, send } from "./Calls.ts"
import {
  CallFailed,
  invalid,
  readProjectId,
  readRequiredTime,
  readRevision,
  readScheduleId,
  readTime,
  writeTime
} from "./Convert.ts"
import { type Peer, type Peers, requireNegotiated, type StreamKind } from "./Peers.ts"
import { cadenceVersion, makeSnapshotDigest, writeSchedule } from "./ScheduleMessage.ts"

/** The version of every part of the protocol. */
const current = 1

/**
 * Streams of one certificate name. A program opens one for changes, and a second one while the first is still closing; it
 * takes a snapshot when it starts, and one of each project that it asks for.
 */
const maxStreams: Readonly<Record<StreamKind, number>> = { watches: 4, snapshots: 4 }

const streamNames: Readonly<Record<StreamKind, string>> = { watches: "streams of changes", snapshots: "snapshots" }

/** Snapshots that a process reads and sends at once, of all schedulers: each has all its schedules in memory. */
const maxSnapshots = 4

/** Rows of a snapshot between two turns of the event loop: about two milliseconds of work. */
const rowsPerTurn = 50

/** A stream looks for changes at least this often, because a hint may be lost. */
const pollPause = "1 second"

/** A fingerprint is a hash in hex, of 64 characters. */
const maxFingerprint = 256

const isCurrent = ({ cadence_runtime_fingerprint, ...versions }: SchedulerProtocolCapabilities): boolean =>
  Object.values(versions).every((number) => number === current) && cadence_runtime_fingerprint !== "" &&
  cadence_runtime_fingerprint.length <= maxFingerprint

const notServed = (method: string) =>
  new CallFailed({
    code: status.UNIMPLEMENTED,
    details: `${method} is not served by this brain; use the negotiated protocol of epoch ${current}.`
  })

const fireDispositions = {
  stale: FireDisposition.FIRE_STALE_CONTROL_REFRESH,
  resolved: FireDisposition.FIRE_SLOT_RESOLVED_REFRESH,
  quarantined: FireDisposition.FIRE_TERMINAL_QUARANTINED,
  retry: FireDisposition.FIRE_RETRYABLE_OR_AMBIGUOUS,
  cadence: FireDisposition.FIRE_CADENCE_SEMANTICS_MISMATCH
} satisfies Record<Refusal["reason"], FireDisposition>

const cursorDispositions = {
  stale: CursorTransitionDisposition.CURSOR_STALE_CONTROL_REFRESH,
  resolved: CursorTransitionDisposition.CURSOR_SLOT_RESOLVED_REFRESH,
  quarantined: CursorTransitionDisposition.CURSOR_STALE_CONTROL_REFRESH,
  retry: CursorTransitionDisposition.CURSOR_SLOT_RESOLVED_REFRESH,
  cadence: CursorTransitionDisposition.CURSOR_CADENCE_SEMANTICS_MISMATCH
} satisfies Record<Refusal["reason"], CursorTransitionDisposition>

const quarantineOutcomes = {
  applied: QuarantineOutcome.QUARANTINE_APPLIED,
  already_applied: QuarantineOutcome.QUARANTINE_ALREADY_APPLIED,
  stale_control: QuarantineOutcome.QUARANTINE_STALE_CONTROL,
  not_found: QuarantineOutcome.QUARANTINE_NOT_FOUND
} as const

const liveFields = (live: Schedule | null, revision: number) => ({
  live_control_token: live?.control_token ?? "",
  live_revision: BigInt(live?.schedule_revision ?? revision),
  live_last_run_at: writeTime(live?.last_run_at ?? null),
  live_next_run_at: writeTime(live?.next_run_at ?? null)
})

const emptyFire: FireScheduleResponse = {
  command_id: "",
  error_code: "",
  error_message: "",
  buffered: false,
  disposition: FireDisposition.FIRE_DISPOSITION_UNSPECIFIED,
  acceptance_revision: 0n,
  accepted_last_run_at: undefined,
  accepted_next_run_at: undefined,
  live_control_token: "",
  live_revision: 0n,
  live_last_run_at: undefined,
  live_next_run_at: undefined
}

const refuseFire = (disposition: FireDisposition, error_code: string, error_message: string): FireScheduleResponse => ({
  ...emptyFire,
  disposition,
  error_code,
  error_message
})

const readObservation = Effect.fnUntraced(function*(request: FireScheduleRequest | AdvanceScheduleCursorRequest) {
  return {
    schedule_id: yield* readScheduleId("schedule_id", request.schedule_id),
    control_token: request.observed_control_token.toLowerCase(),
    definition_digest: request.definition_digest,
    schedule_revision: yield* readRevision("expected_schedule_revision", request.expected_schedule_revision),
    last_run_at: yield* readTime("expected_last_run_at", request.expected_last_run_at),
    next_run_at: yield* readTime("expected_next_run_at", request.expected_next_run_at)
  } satisfies Observation
})

/** Other words are the brain's own: what ends their quarantines does not end this one. */
const readReason = (code: string): string => {
  const word = toStorable(code, 64)
  return word !== "" && isAboutDefinition(word) ? word : "definition_invalid"
}

const readScope = (projectId: string): Effect.Effect<Scope, CallFailed> =>
  projectId === "" ? Effect.succeed(null) : readProjectId("project_id", projectId)

/** The service of the agents' protocol, section 7. */
export const makeSchedulerService = (peers: Peers) =>
  Effect.gen(function*() {
    const protocol = yield* SchedulerProtocol
    const hints = yield* Hints
    const { scheduleGraceSeconds, slowReaderSeconds } = yield* Settings
    const { streaming, unary } = yield* makeCalls(peers)
    const snapshotsInTurn = makeFairSemaphore(maxSnapshots)

    const write = (schedule: Schedule, fingerprint: string) =>
      writeSchedule(schedule, { fingerprint, digest: digestFire(schedule), graceSeconds: scheduleGraceSeconds })

    const sendSnapshot = Effect.fnUntraced(function*(
      projectId: string,
      peer: Peer,
      sendFrame: (frame: ScheduleSnapshotFrame["frame"]) => Effect.Effect<void, CallFailed>
    ) {
      const fingerprint = yield* requireNegotiated(peer)
      const { revision, schedules } = yield* protocol.readSnapshot(yield* readScope(projectId))
      const snapshot_id = randomUUID()
      const header = { format_version: current, snapshot_id, project_id: projectId.toLowerCase() }
      const totals = { ...header, watermark: BigInt(revision), row_count: BigInt(schedules.length) }
      const digest = makeSnapshotDigest(totals)
      yield* sendFrame({ $case: "header", value: header })
      for (const [at, schedule] of schedules.entries()) {
        if (at % rowsPerTurn === rowsPerTurn - 1) yield* yieldToEventLoop
        const message = write(schedule, fingerprint)
        digest.add(schedule, message)
        yield* sendFrame({ $case: "row", value: { snapshot_id, schedule: message } })
      }
      yield* sendFrame({ $case: "complete", value: { ...totals, digest: digest.finish() } })
    })

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
      }).pipe(Effect.scoped)

    /** Counts the stream while it is open. */
    const counting = <R>(kind: StreamKind, peer: Peer, open: Effect.Effect<void, CallFailed, R>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void peer.streams[kind]++),
        () =>
          peers.countStreams(peer.name, kind) > maxStreams[kind]
            ? new CallFailed({
              code: status.RESOURCE_EXHAUSTED,
              details: `A scheduler has at most ${maxStreams[kind]} ${streamNames[kind]}.`
            })
            : open,
        () => Effect.sync(() => void peer.streams[kind]--)
      )

    /** What the brain has taken: the program fires. */
    const markFiring = (peer: Peer) => Effect.map(Clock.currentTimeMillis, (now) => void (peer.firedAt = now))

    const fire = Effect.fnUntraced(function*(request: FireScheduleRequest, peer: Peer) {
      if (request.scheduler_protocol_epoch !== current || request.triggered_by_user_id !== "") {
        return refuseFire(
          FireDisposition.FIRE_LEGACY_UPGRADE_REQUIRED,
          "legacy_upgrade_required",
          `The brain takes fires of ticks in the protocol of epoch ${current}, and triggers schedules itself.`
        )
      }
      if (request.cadence_semantics_version !== cadenceVersion) {
        return refuseFire(
          FireDisposition.FIRE_CADENCE_SEMANTICS_MISMATCH,
          "cadence_semantics_mismatch",
          `The brain knows version ${cadenceVersion} of the cadence's rules.`
        )
      }
      const scheduled_for = yield* readRequiredTime("scheduled_for", request.scheduled_for)
      const prepared_next_run_at = yield* readTime("prepared_next_run_at", request.prepared_next_run_at)
      const { command_id, live, refusal, revision } = yield* protocol.fire({
        ...(yield* readObservation(request)),
        fire_id: request.fire_id.toLowerCase(),
        scheduled_for,
        prepared_next_run_at
      })
      const answer = { ...emptyFire, ...liveFields(live, revision), command_id: command_id ?? "" }
      if (refusal !== null) {
        const { code, message, reason } = refusal
        return { ...answer, disposition: fireDispositions[reason], error_code: code, error_message: message }
      }
      yield* markFiring(peer)
      return {
        ...answer,
        disposition: FireDisposition.FIRE_ACCEPTED,
        buffered: command_id === null,
        acceptance_revision: answer.live_revision,
        accepted_last_run_at: writeTime(scheduled_for),
        accepted_next_run_at: writeTime(prepared_next_run_at)
      }
    })

    const advance = Effect.fnUntraced(function*(request: AdvanceScheduleCursorRequest, peer: Peer) {
      const observation = yield* readObservation(request)
      const skipped_through = yield* readRequiredTime("skipped_through", request.skipped_through)
      const prepared_next_run_at = yield* readTime("prepared_next_run_at", request.prepared_next_run_at)
      const project_id = yield* readProjectId("project_id", request.project_id)
      if (request.scheduler_protocol_epoch !== current) {
        return yield* invalid(`scheduler_protocol_epoch must be ${current}.`)
      }
      const empty: AdvanceScheduleCursorResponse = {
        disposition: CursorTransitionDisposition.CURSOR_CADENCE_SEMANTICS_MISMATCH,
        committed_revision: 0n,
        committed_last_run_at: undefined,
        committed_next_run_at: undefined,
        error_code: "",
        error_message: "",
        ...liveFields(null, 0)
      }
      if (request.cadence_semantics_version !== cadenceVersion) {
        const { revision, schedule } = yield* protocol.readState(project_id, observation.schedule_id)
        return { ...empty, ...liveFields(schedule, revision), error_code: "cadence_semantics_mismatch" }
      }
      const { isRepeated, live, refusal } = yield* protocol.advance({
        ...observation,
        project_id,
        skipped_through,
        prepared_next_run_at
      })
      if (live === null) return yield* new CallFailed({ code: status.NOT_FOUND, details: "There is no such schedule." })
      const answer = { ...empty, ...liveFields(live, 0) }
      if (refusal !== null) {
        const { code, message, reason } = refusal
        return { ...answer, disposition: cursorDispositions[reason], error_code: code, error_message: message }
      }
      yield* markFiring(peer)
      return {
        ...answer,
        disposition: isRepeated
          ? CursorTransitionDisposition.CURSOR_IDEMPOTENT
          : CursorTransitionDisposition.CURSOR_APPLIED,
        committed_revision: answer.live_revision,
        committed_last_run_at: request.skipped_through,
        committed_next_run_at: answer.live_next_run_at
      }
    })

    return {
      ping: unary("Ping", () =>
        Effect.map(Timestamp.now, (now) => ({
          brain_version: version,
          brain_time: writeTime(now),
          scheduler_protocol_epoch: current
        }))),
      negotiateSchedulerProtocol: unary(
        "NegotiateSchedulerProtocol",
        Effect.fnUntraced(function*({ offered }, peer) {
          if (offered === undefined || !isCurrent(offered)) {
            return yield* new CallFailed({
              code: status.FAILED_PRECONDITION,
              details: `The brain speaks version ${current} of each part of the protocol, with a runtime fingerprint.`
            })
          }
          peer.fingerprint = offered.cadence_runtime_fingerprint
          yield* Effect.logInfo(`the scheduler ${peer.name} has connected`)
          return { selected: offered }
        })
      ),
      listScheduleSnapshot: streaming("ListScheduleSnapshot", (call, peer) =>
        call.request.snapshot_format_version === current
          ? counting(
            "snapshots",
            peer,
            snapshotsInTurn(sendSnapshot(call.request.project_id, peer, (frame) =>
              send(call, { frame }, slowReaderSeconds)))
          )
          : invalid(`snapshot_format_version must be ${current}.`)),
      watchSchedulesV2: streaming("WatchSchedulesV2", (call, peer) =>
        call.request.watch_format_version === current
          ? counting(
            "watches",
            peer,
            watch(call.request, peer, (frame) =>
              send(call, { format_version: current, frame }, slowReaderSeconds))
          )
          : invalid(`watch_format_version must be ${current}.`)),
      getScheduleState: unary(
        "GetScheduleState",
        Effect.fnUntraced(function*({ project_id, schedule_id }, peer) {
          const fingerprint = yield* requireNegotiated(peer)
          const projectId = yield* readProjectId("project_id", project_id)
          const { revision, schedule } = yield* protocol.readState(
            projectId,
            yield* readScheduleId("schedule_id", schedule_id)
          )
          return {
            observed_revision: BigInt(revision),
            state: schedule !== null
              ? { $case: "schedule" as const, value: write(schedule, fingerprint) }
              : { $case: "absence" as const, value: { project_id, schedule_id } }
          }
        })
      ),
      fireSchedule: unary("FireSchedule", fire),
      // the agent reports what became of a fire, and the brain knows whether it took the fire
      acknowledgeFireResult: unary("AcknowledgeFireResult", () =>
        Effect.succeed({})),
      quarantineSchedule: unary(
        "QuarantineSchedule",
        Effect.fnUntraced(function*(request) {
          const { outcome, revision } = yield* protocol.quarantine({
            project_id: yield* readProjectId("project_id", request.project_id),
            schedule_id: yield* readScheduleId("schedule_id", request.schedule_id),
            control_token: request.observed_control_token.toLowerCase(),
            code: readReason(request.reason_code),
            detail: toStorable(request.detail, 500)
          })
          return { outcome: quarantineOutcomes[outcome], observed_revision: BigInt(revision) }
        })
      ),
      advanceScheduleCursor: unary("AdvanceScheduleCursor", advance),
      listSchedules: streaming("ListSchedules", () =>
        notServed("ListSchedules")),
      watchSchedules: streaming("WatchSchedules", () => notServed("WatchSchedules")),
      triggerSchedule: unary("TriggerSchedule", () => notServed("TriggerSchedule"))
    } satisfies SchedulerServiceServer
  })

const changeFrame = (
  kind: ScheduleChange_Kind,
  revision: number,
  project_id: string,
  { deleted_id = "", schedule }: { readonly deleted_id?: string; readonly schedule?: ReturnType<typeof writeSchedule> }
) => ({ kind, revision: BigInt(revision), project_id, schedule, deleted_id })
