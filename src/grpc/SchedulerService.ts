import { status } from "@grpc/grpc-js"
import { Effect } from "effect"
import {
  QuarantineOutcome,
  type SchedulerProtocolCapabilities,
  type SchedulerServiceServer
} from "../../proto/generated/scheduler.ts"
import { toStorable } from "../domain/kernel/Text.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { version } from "../domain/kernel/Version.ts"
import type { Schedule } from "../domain/schedules/Schedule.ts"
import { isAboutDefinition } from "../domain/schedules/Schedule/Recovery.ts"
import { digestFire } from "../domain/schedules/Schedule/WaitingFire.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { SchedulerProtocol } from "../services/schedules/SchedulerProtocol.ts"
import { makeCalls, send } from "./Calls.ts"
import { CallFailed, invalid, readProjectId, readScheduleId, writeTime } from "./Convert.ts"
import { makeFireCalls } from "./FireCalls.ts"
import { type Peers, requireNegotiated } from "./Peers.ts"
import { makeScheduleFeeds } from "./ScheduleFeeds.ts"
import { currentVersion, writeSchedule } from "./ScheduleMessage.ts"

/** A fingerprint is a hash in hex, of 64 characters. */
const maxFingerprint = 256

const isCurrent = ({ cadence_runtime_fingerprint, ...versions }: SchedulerProtocolCapabilities): boolean =>
  Object.values(versions).every((number) => number === currentVersion) && cadence_runtime_fingerprint !== "" &&
  cadence_runtime_fingerprint.length <= maxFingerprint

const notServed = (method: string) =>
  new CallFailed({
    code: status.UNIMPLEMENTED,
    details: `${method} is not served by this brain; use the negotiated protocol of epoch ${currentVersion}.`
  })

const quarantineOutcomes = {
  applied: QuarantineOutcome.QUARANTINE_APPLIED,
  already_applied: QuarantineOutcome.QUARANTINE_ALREADY_APPLIED,
  stale_control: QuarantineOutcome.QUARANTINE_STALE_CONTROL,
  not_found: QuarantineOutcome.QUARANTINE_NOT_FOUND
} as const

/** Other words are the brain's own: what ends their quarantines does not end this one. */
const readReason = (code: string): string => {
  const word = toStorable(code, 64)
  return word !== "" && isAboutDefinition(word) ? word : "definition_invalid"
}

/** The service of the agents' protocol, section 7. */
export const makeSchedulerService = (peers: Peers) =>
  Effect.gen(function*() {
    const protocol = yield* SchedulerProtocol
    const { scheduleGraceSeconds, slowReaderSeconds } = yield* Settings
    const { streaming, unary } = yield* makeCalls(peers)
    const write = (schedule: Schedule, fingerprint: string) =>
      writeSchedule(schedule, { fingerprint, digest: digestFire(schedule), graceSeconds: scheduleGraceSeconds })
    const { advance, fire } = yield* makeFireCalls
    const { sendSnapshot, watch } = yield* makeScheduleFeeds(peers, write)

    return {
      ping: unary("Ping", () =>
        Effect.map(Timestamp.now, (now) => ({
          brain_version: version,
          brain_time: writeTime(now),
          scheduler_protocol_epoch: currentVersion
        }))),
      negotiateSchedulerProtocol: unary(
        "NegotiateSchedulerProtocol",
        Effect.fnUntraced(function*({ offered }, peer) {
          if (offered === undefined || !isCurrent(offered)) {
            return yield* new CallFailed({
              code: status.FAILED_PRECONDITION,
              details:
                `The brain speaks version ${currentVersion} of each part of the protocol, with a runtime fingerprint.`
            })
          }
          peer.fingerprint = offered.cadence_runtime_fingerprint
          yield* Effect.logInfo(`the scheduler ${peer.name} has connected`)
          return { selected: offered }
        })
      ),
      listScheduleSnapshot: streaming("ListScheduleSnapshot", (call, peer) =>
        call.request.snapshot_format_version === currentVersion
          ? sendSnapshot(call.request.project_id, peer, (frame) =>
            send(call, { frame }, slowReaderSeconds))
          : invalid(`snapshot_format_version must be ${currentVersion}.`)),
      watchSchedulesV2: streaming("WatchSchedulesV2", (call, peer) =>
        call.request.watch_format_version === currentVersion
          ? watch(call.request, peer, (frame) =>
            send(call, { format_version: currentVersion, frame }, slowReaderSeconds))
          : invalid(`watch_format_version must be ${currentVersion}.`)),
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
      acknowledgeFireResult: unary("AcknowledgeFireResult", () => Effect.succeed({})),
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
      listSchedules: streaming("ListSchedules", () => notServed("ListSchedules")),
      watchSchedules: streaming("WatchSchedules", () => notServed("WatchSchedules")),
      triggerSchedule: unary("TriggerSchedule", () => notServed("TriggerSchedule"))
    } satisfies SchedulerServiceServer
  })
