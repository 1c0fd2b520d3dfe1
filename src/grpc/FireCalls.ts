import { status } from "@grpc/grpc-js"
import { Clock, Effect } from "effect"
import {
  type AdvanceScheduleCursorRequest,
  AdvanceScheduleCursorResponse,
  CursorTransitionDisposition,
  FireDisposition,
  type FireScheduleRequest,
  FireScheduleResponse
} from "../../proto/generated/scheduler.ts"
import type { Schedule } from "../domain/schedules/Schedule.ts"
import type { Observation, Refusal } from "../domain/schedules/Schedule/SchedulerRequest.ts"
import { SchedulerProtocol } from "../services/schedules/SchedulerProtocol.ts"
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
import type { Peer } from "./Peers.ts"
import { cadenceVersion, currentVersion } from "./ScheduleMessage.ts"

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

const liveFields = (live: Schedule | null, revision: number) => ({
  live_control_token: live?.control_token ?? "",
  live_revision: BigInt(live?.schedule_revision ?? revision),
  live_last_run_at: writeTime(live?.last_run_at ?? null),
  live_next_run_at: writeTime(live?.next_run_at ?? null)
})

const emptyFire = FireScheduleResponse.fromPartial({})

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

/** The calls by which a scheduler moves the cursor of a schedule: it fires a tick, or leaves ticks out. */
export const makeFireCalls = Effect.gen(function*() {
  const protocol = yield* SchedulerProtocol

  /** What the brain has taken: the program fires. */
  const markFiring = (peer: Peer) => Effect.map(Clock.currentTimeMillis, (now) => void (peer.firedAt = now))

  const fire = Effect.fnUntraced(function*(request: FireScheduleRequest, peer: Peer) {
    if (request.scheduler_protocol_epoch !== currentVersion || request.triggered_by_user_id !== "") {
      return refuseFire(
        FireDisposition.FIRE_LEGACY_UPGRADE_REQUIRED,
        "legacy_upgrade_required",
        `The brain takes fires of ticks in the protocol of epoch ${currentVersion}, and triggers schedules itself.`
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
    const response = { ...emptyFire, ...liveFields(live, revision), command_id: command_id ?? "" }
    if (refusal !== null) {
      const { code, message, reason } = refusal
      return { ...response, disposition: fireDispositions[reason], error_code: code, error_message: message }
    }
    yield* markFiring(peer)
    return {
      ...response,
      disposition: FireDisposition.FIRE_ACCEPTED,
      buffered: command_id === null,
      acceptance_revision: response.live_revision,
      accepted_last_run_at: writeTime(scheduled_for),
      accepted_next_run_at: writeTime(prepared_next_run_at)
    }
  })

  const advance = Effect.fnUntraced(function*(request: AdvanceScheduleCursorRequest, peer: Peer) {
    const observation = yield* readObservation(request)
    const skipped_through = yield* readRequiredTime("skipped_through", request.skipped_through)
    const prepared_next_run_at = yield* readTime("prepared_next_run_at", request.prepared_next_run_at)
    const project_id = yield* readProjectId("project_id", request.project_id)
    if (request.scheduler_protocol_epoch !== currentVersion) {
      return yield* invalid(`scheduler_protocol_epoch must be ${currentVersion}.`)
    }
    const empty = AdvanceScheduleCursorResponse.fromPartial({
      disposition: CursorTransitionDisposition.CURSOR_CADENCE_SEMANTICS_MISMATCH
    })
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
    const response = { ...empty, ...liveFields(live, 0) }
    if (refusal !== null) {
      const { code, message, reason } = refusal
      return { ...response, disposition: cursorDispositions[reason], error_code: code, error_message: message }
    }
    yield* markFiring(peer)
    return {
      ...response,
      disposition: isRepeated
        ? CursorTransitionDisposition.CURSOR_IDEMPOTENT
        : CursorTransitionDisposition.CURSOR_APPLIED,
      committed_revision: response.live_revision,
      committed_last_run_at: request.skipped_through,
      committed_next_run_at: response.live_next_run_at
    }
  })

  return { fire, advance } as const
})
