import { credentials } from "@grpc/grpc-js"
import { Clock, Effect, Layer, Stream } from "effect"
import { isIP } from "node:net"
import { checkServerIdentity } from "node:tls"
import { SchedulerLeaseClient } from "../../proto/generated/lease.ts"
import {
  type AdvanceScheduleCursorResponse,
  CursorTransitionDisposition,
  FireDisposition,
  type FireScheduleResponse,
  type SchedulerProtocolCapabilities,
  SchedulerServiceClient
} from "../../proto/generated/scheduler.ts"
import { fireIdOf } from "../domain/schedules/Schedule/FireId.ts"
import { writeTime } from "../grpc/Convert.ts"
import {
  Brain,
  type BrainUnavailable,
  type Change,
  type Handover,
  type HandoverOutcome,
  type Snapshot
} from "./Brain.ts"
import { invalid, streaming, unary, unavailable } from "./GrpcCalls.ts"
import { decodeId, decodeLeases, decodeProjects, readSchedule, readTime } from "./GrpcMessages.ts"
import type { KnownSchedule } from "./KnownSchedule.ts"

/** The number of every version that the protocol has (section 7). */
const epoch = 1

/** The rules of ticks, and where those of the time zones come from. The brain echoes it. */
const fingerprint = `svc-1 tz-${process.versions.tz ?? "unknown"}`

/** What is offered in the negotiation. */
export const protocolVersions: SchedulerProtocolCapabilities = {
  protocol_epoch: epoch,
  fire_response_version: 1,
  cursor_transition_version: 1,
  stable_snapshot_version: 1,
  revision_watch_version: 1,
  per_id_state_version: 1,
  quarantine_version: 1,
  cadence_semantics_version: 1,
  cadence_runtime_fingerprint: fingerprint
}

/** Deadlines of the protocol, in ms. */
const deadlines = { ping: 3000, short: 5000, handover: 10_000, snapshot: 30_000 }

const maxMessageBytes = 1_048_576

export interface GrpcOptions {
  readonly address: string
  readonly instanceId: string
  /** PEM. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer; readonly ca: Buffer; readonly serverName: string }
}

/** What a fire and a skip name of the schedule, for the brain to compare. */
const expectationsOf = ({ prepared_next_run_at, schedule }: Handover) => ({
  schedule_id: schedule.id,
  observed_control_token: schedule.control_token,
  definition_digest: schedule.definition_digest,
  expected_schedule_revision: BigInt(schedule.schedule_revision),
  expected_last_run_at: writeTime(schedule.last_run_at),
  expected_next_run_at: writeTime(schedule.next_run_at),
  prepared_next_run_at: writeTime(prepared_next_run_at),
  scheduler_protocol_epoch: epoch,
  cadence_semantics_version: protocolVersions.cadence_semantics_version,
  cadence_runtime_fingerprint: fingerprint
})

/** The cursor that the brain has committed. */
const acceptedOf = (live: FireScheduleResponse | AdvanceScheduleCursorResponse): HandoverOutcome => ({
  _tag: "Accepted",
  revision: Number(live.live_revision),
  last_run_at: readTime(live.live_last_run_at),
  next_run_at: readTime(live.live_next_run_at)
})

const reasonOf = (fallback: string, { error_code, error_message }: { error_code: string; error_message: string }) =>
  error_message !== "" ? error_message : error_code !== "" ? error_code : fallback

/** Both sides must have the same numbers (section 7); a brain with others would take fires for what they are not. */
const negotiate = Effect.fnUntraced(function*(client: SchedulerServiceClient) {
  const { brain_time, brain_version, scheduler_protocol_epoch } = yield* unary(
    "Ping",
    deadlines.ping,
    client.ping.bind(client),
    {}
  )
  if (scheduler_protocol_epoch !== epoch) {
    return yield* invalid("Ping", `it speaks epoch ${scheduler_protocol_epoch} of the scheduler protocol, not ${epoch}`)
  }
  const { selected } = yield* unary(
    "NegotiateSchedulerProtocol",
    deadlines.short,
    client.negotiateSchedulerProtocol.bind(client),
    { offered: protocolVersions }
  )
  const isSame = selected !== undefined &&
    Object.entries(protocolVersions).every(([key, value]) => Reflect.get(selected, key) === value)
  if (!isSame) return yield* invalid("NegotiateSchedulerProtocol", "it selects other versions than were offered")
  return { version: brain_version, time: readTime(brain_time) }
})

/** The name that TLS sends ahead. RFC 6066 has none for an address, and grpc-js would send the address with a warning. */
const serverNameOf = (name: string): string => (isIP(name) === 0 ? name : "localhost")

/** Both services on one connection. */
const openClients = ({ address, tls }: GrpcOptions) =>
  Effect.gen(function*() {
    const name = tls.serverName !== "" ? tls.serverName : address.replace(/:\d+$/, "").replace(/^\[|\]$/g, "")
    const channelOptions = {
      "grpc.keepalive_time_ms": 30_000,
      "grpc.keepalive_timeout_ms": 10_000,
      "grpc.max_receive_message_length": maxMessageBytes,
      "grpc.max_send_message_length": maxMessageBytes,
      "grpc.ssl_target_name_override": serverNameOf(name),
      "grpc.default_authority": isIP(name) === 6 ? `[${name}]` : name
    }
    const client = yield* Effect.acquireRelease(
      Effect.try({
        try: () =>
          new SchedulerServiceClient(
            address,
            credentials.createSsl(tls.ca, tls.key, tls.cert, {
              checkServerIdentity: (_name, certificate) => checkServerIdentity(name, certificate)
            }),
            channelOptions
          ),
        catch: unavailable("TLS")
      }),
      (client) => Effect.sync(() => client.close())
    )
    // on the same connection
    const leases = new SchedulerLeaseClient(address, credentials.createInsecure(), {
      channelOverride: client.getChannel()
    })
    return { client, leases }
  })

const readSnapshot = (client: SchedulerServiceClient) =>
  Effect.gen(function*() {
    const method = "ListScheduleSnapshot"
    const deadline = (yield* Clock.currentTimeMillis) + deadlines.snapshot
    const frames = yield* Stream.runCollect(
      streaming(
        method,
        () => client.listScheduleSnapshot({ project_id: "", page_size: 500, snapshot_format_version: 1 }, { deadline })
      )
    )
    const schedules: Array<KnownSchedule> = []
    for (const { frame } of frames) {
      if (frame?.$case === "row" && frame.value.schedule !== undefined) {
        schedules.push(yield* readSchedule(method, frame.value.schedule))
      }
      if (frame?.$case === "complete") {
        if (Number(frame.value.row_count) !== schedules.length) break
        return { schedules, watermark: frame.value.watermark } satisfies Snapshot
      }
    }
    return yield* invalid(method, "the snapshot is incomplete")
  })

const watchChanges = (client: SchedulerServiceClient, after: bigint): Stream.Stream<Change, BrainUnavailable> =>
  streaming(
    "WatchSchedulesV2",
    () => client.watchSchedulesV2({ project_id: "", after_revision: after, watch_format_version: 1 })
  ).pipe(
    Stream.mapEffect(({ frame }): Effect.Effect<ReadonlyArray<Change>, BrainUnavailable> => {
      if (frame?.$case !== "change") return Effect.succeed([])
      const { deleted_id, schedule } = frame.value
      return schedule === undefined
        ? Effect.map(
          Effect.mapError(decodeId(deleted_id), () => invalid("WatchSchedulesV2", "deleted_id")),
          (id) => [{ _tag: "Deleted", id }]
        )
        : Effect.map(readSchedule("WatchSchedulesV2", schedule), (schedule) => [{ _tag: "Upsert", schedule }])
    }),
    Stream.flattenIterables
  )

const outcomeOfFire = (response: FireScheduleResponse): HandoverOutcome => {
  switch (response.disposition) {
    case FireDisposition.FIRE_ACCEPTED:
      return acceptedOf(response)
    case FireDisposition.FIRE_TERMINAL_QUARANTINED:
      return { _tag: "Quarantined" }
    case FireDisposition.FIRE_SLOT_RESOLVED_REFRESH:
      return { _tag: "Refresh", reason: "the tick is resolved already" }
    case FireDisposition.FIRE_STALE_CONTROL_REFRESH:
      return { _tag: "Refresh", reason: "the schedule was changed" }
    default:
      return { _tag: "Retry", reason: reasonOf("the brain does not take the fire now", response) }
  }
}

const outcomeOfSkip = (response: AdvanceScheduleCursorResponse): HandoverOutcome => {
  switch (response.disposition) {
    case CursorTransitionDisposition.CURSOR_APPLIED:
    case CursorTransitionDisposition.CURSOR_IDEMPOTENT:
      return acceptedOf(response)
    case CursorTransitionDisposition.CURSOR_SLOT_RESOLVED_REFRESH:
      return { _tag: "Refresh", reason: "the ticks are resolved already" }
    case CursorTransitionDisposition.CURSOR_STALE_CONTROL_REFRESH:
      return { _tag: "Refresh", reason: "the schedule was changed" }
    default:
      return { _tag: "Retry", reason: reasonOf("the brain does not take the skipped ticks now", response) }
  }
}

const connect = (options: GrpcOptions) =>
  Effect.gen(function*() {
    const { client, leases } = yield* openClients(options)
    const { time, version } = yield* negotiate(client)

    const fire = (handover: Handover) =>
      Effect.map(
        unary("FireSchedule", deadlines.handover, client.fireSchedule.bind(client), {
          ...expectationsOf(handover),
          fire_id: fireIdOf(handover.schedule.id, handover.tick),
          scheduled_for: writeTime(handover.tick),
          fired_at: writeTime(handover.decided_at),
          triggered_by_user_id: ""
        }),
        outcomeOfFire
      )

    const skip = (handover: Handover) =>
      Effect.map(
        unary("AdvanceScheduleCursor", deadlines.handover, client.advanceScheduleCursor.bind(client), {
          ...expectationsOf(handover),
          project_id: handover.schedule.project_id,
          skipped_through: writeTime(handover.tick)
        }),
        outcomeOfSkip
      )

    return Brain.of({
      version,
      time,
      listProjects: Effect.flatMap(
        unary("ListProjects", deadlines.short, leases.listProjects.bind(leases), {}),
        ({ projects }) => Effect.mapError(decodeProjects(projects), () => invalid("ListProjects", "projects"))
      ),
      hold: (ids, ttl_seconds) =>
        Effect.flatMap(
          unary("Hold", deadlines.short, leases.hold.bind(leases), {
            project_ids: [...ids],
            instance_id: options.instanceId,
            ttl_seconds
          }),
          ({ leases }) =>
            Effect.mapError(
              decodeLeases(leases.map(({ held, holder, project_id }) => ({
                project_id,
                is_held: held,
                holder: holder === "" ? null : holder
              }))),
              () => invalid("Hold", "leases")
            )
        ),
      release: Effect.asVoid(
        unary("Release", deadlines.short, leases.release.bind(leases), { instance_id: options.instanceId })
      ),
      snapshot: readSnapshot(client),
      watch: (after) => watchChanges(client, after),
      getState: (project_id, schedule_id) =>
        Effect.flatMap(
          unary("GetScheduleState", deadlines.short, client.getScheduleState.bind(client), {
            project_id,
            schedule_id,
            minimum_observed_revision: 0n
          }),
          ({ state }) =>
            state?.$case === "schedule" ? readSchedule("GetScheduleState", state.value) : Effect.succeed(null)
        ),
      fire,
      skip,
      quarantine: (schedule, detail) =>
        Effect.asVoid(
          unary("QuarantineSchedule", deadlines.short, client.quarantineSchedule.bind(client), {
            project_id: schedule.project_id,
            schedule_id: schedule.id,
            observed_control_token: schedule.control_token,
            reason_code: "definition_invalid",
            detail,
            scheduler_protocol_epoch: epoch
          })
        )
    })
  })

/** A connection over gRPC with mutual TLS, negotiated. */
export const layer = (options: GrpcOptions) => Layer.scoped(Brain, connect(options))
