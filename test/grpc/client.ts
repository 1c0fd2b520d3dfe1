import {
  type ChannelCredentials,
  type Client,
  type ClientReadableStream,
  credentials,
  type MethodDefinition
} from "@grpc/grpc-js"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { SchedulerLeaseClient } from "../../proto/generated/lease.ts"
import {
  FireDisposition,
  FireScheduleRequest,
  type Schedule,
  SchedulerServiceClient,
  SchedulerServiceService,
  type ScheduleSnapshotComplete,
  type ScheduleWatchFrame
} from "../../proto/generated/scheduler.ts"
import { ScheduleId } from "../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { fireIdOf } from "../../src/domain/schedules/Schedule/FireId.ts"
import { writeTime } from "../../src/grpc/Convert.ts"
import type { SettingsShape } from "../../src/services/kernel/Settings.ts"
import { serverOn } from "../brain.ts"
import type { Engine } from "../databases.ts"
import { freePort } from "../ports.ts"
import { type Files, makePki, type Pki } from "./pki.ts"

/** Where schedulers are served, and the certificates for it. */
export class Port extends Context.Tag("test/Port")<Port, { readonly pki: Pki; readonly port: number }>() {}

/** A brain that serves schedulers. */
export const schedulersOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Layer.unwrapScoped(Effect.gen(function*() {
    const pki = yield* makePki
    const port = yield* freePort
    return Layer.merge(
      serverOn(engine, { ...pki.settings(port), embeddedScheduler: false, ...overrides }),
      Layer.succeed(Port, { pki, port })
    )
  }))

export const credentialsOf = (ca: string, { cert, key }: Files): ChannelCredentials =>
  credentials.createSsl(readFileSync(ca), readFileSync(key), readFileSync(cert))

/** Closes the client with the scope. */
const scoped = <A extends Client>(make: () => A) =>
  Effect.acquireRelease(Effect.sync(make), (client) => Effect.sync(() => client.close()))

/** One call; a failure's message has the status and the details, as in `9 FAILED_PRECONDITION: …`. */
export const callUnary = <I, O>(
  client: Client,
  { path, requestSerialize, responseDeserialize }: MethodDefinition<I, O>,
  request: I
): Effect.Effect<O, Error> =>
  Effect.async<O, Error>((resume) => {
    const options = { deadline: Date.now() + 20_000 }
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, options, (error, response) => {
      resume(
        error === null && response !== undefined ? Effect.succeed(response) : Effect.fail(error ?? new Error("empty"))
      )
    })
  })

/** What a stream sends until it ends. */
export const collect = <O>(start: () => ClientReadableStream<O>): Effect.Effect<ReadonlyArray<O>, Error> =>
  Effect.async<ReadonlyArray<O>, Error>((resume) => {
    const seen: Array<O> = []
    const stream = start()
    stream.on("data", (message: O) => seen.push(message))
    stream.on("error", (error) => resume(Effect.fail(error)))
    stream.on("end", () => resume(Effect.succeed(seen)))
  })

export const capabilities = (fingerprint: string) => ({
  protocol_epoch: 1,
  fire_response_version: 1,
  cursor_transition_version: 1,
  stable_snapshot_version: 1,
  revision_watch_version: 1,
  per_id_state_version: 1,
  quarantine_version: 1,
  cadence_semantics_version: 1,
  cadence_runtime_fingerprint: fingerprint
})

export interface Snapshot {
  readonly rows: ReadonlyArray<Schedule>
  readonly complete: ScheduleSnapshotComplete
}

/** A scheduler's clients on a connection of their own, before the negotiation. */
export const connect = (name: string) =>
  Effect.gen(function*() {
    const { pki, port } = yield* Port
    const channel = credentialsOf(pki.authority.cert, yield* pki.authority.client(name))
    const address = `127.0.0.1:${port}`
    const options = { "grpc.use_local_subchannel_pool": 1 }
    const scheduler = yield* scoped(() => new SchedulerServiceClient(address, channel, options))
    const lease = yield* scoped(() => new SchedulerLeaseClient(address, channel, options))
    return { scheduler, lease }
  })

/** A scheduler that has negotiated. */
export const connectCurrent = (name: string) =>
  Effect.gen(function*() {
    const { lease, scheduler } = yield* connect(name)
    yield* callUnary(scheduler, SchedulerServiceService.negotiateSchedulerProtocol, {
      offered: capabilities(`${name}-runtime`)
    })
    const snapshot = (project_id: string) =>
      Effect.map(
        collect(() => scheduler.listScheduleSnapshot({ project_id, page_size: 100, snapshot_format_version: 1 })),
        (frames): Snapshot => {
          const rows = frames.flatMap(({ frame }) =>
            frame?.$case === "row" && frame.value.schedule !== undefined ? [frame.value.schedule] : []
          )
          const last = frames.at(-1)?.frame
          if (last?.$case !== "complete") throw new Error("the snapshot is not complete")
          return { rows, complete: last.value }
        }
      )
    /** Opens a stream of changes, and returns what it has sent so far, and how it ended. */
    const watch = (project_id: string, after_revision: bigint) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const stream = scheduler.watchSchedulesV2({ project_id, after_revision, watch_format_version: 1 })
          const seen: Array<ScheduleWatchFrame> = []
          const state = { error: null as string | null }
          stream.on("data", (frame: ScheduleWatchFrame) => seen.push(frame))
          stream.on("error", (error) => (state.error = error.message))
          return { seen, state, stream }
        }),
        ({ stream }) => Effect.sync(() => stream.cancel())
      )
    return { scheduler, lease, snapshot, watch } as const
  })

/** The seconds from a tick to the next one of a schedule that fires each day. */
export const day = 86_400

export const tickOf = ({ next_run_at }: Schedule): Timestamp.Timestamp =>
  Timestamp.fromEpochMicros((next_run_at?.seconds ?? 0n) * 1_000_000n)

/** What a scheduler that saw this row sends to fire its next tick. */
export const fireOf = (row: Schedule, changes: Partial<FireScheduleRequest> = {}) => {
  const tick = tickOf(row)
  return FireScheduleRequest.fromPartial({
    schedule_id: row.id,
    fire_id: fireIdOf(ScheduleId.make(row.id), tick),
    scheduled_for: writeTime(tick)!,
    fired_at: writeTime(tick)!,
    scheduler_protocol_epoch: 1,
    observed_control_token: row.control_token,
    definition_digest: row.definition_digest,
    expected_schedule_revision: row.schedule_revision,
    ...(row.last_run_at && { expected_last_run_at: row.last_run_at }),
    expected_next_run_at: row.next_run_at!,
    prepared_next_run_at: writeTime(Timestamp.addSeconds(tick, day))!,
    cadence_semantics_version: 1,
    cadence_runtime_fingerprint: row.cadence_runtime_fingerprint,
    ...changes
  })
}

/** The program fires the next `count` ticks of the project's only schedule, one after the other. */
export const fireNext = (
  { scheduler, snapshot }: Effect.Effect.Success<ReturnType<typeof connectCurrent>>,
  projectId: string,
  count = 1
) =>
  Effect.gen(function*() {
    for (let fired = 0; fired < count; fired++) {
      const [row] = (yield* snapshot(projectId)).rows
      if (row === undefined) return yield* Effect.fail(new Error("the schedule is not in the snapshot"))
      const response = yield* callUnary(scheduler, SchedulerServiceService.fireSchedule, fireOf(row))
      if (response.disposition !== FireDisposition.FIRE_ACCEPTED) {
        return yield* Effect.fail(new Error(`the fire was refused: ${response.error_message}`))
      }
    }
  })
