/**
 * A test agent that publishes schedules: it confirms its activation, and sends snapshots and changes.
 *
 *     const agent = yield* connected({ ...options, hello: schedulerHello(["celery-beat"]) })
 *     const publisher = yield* activatePublisher(agent, "celery-beat")
 *     yield* publisher.publish([row({ source_key: "dcb:1", name: "nightly" })])
 */
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { canonicalize, CanonicalText, type JsonInput } from "../src/domain/kernel/CanonicalJson.ts"
import { digestOf, type Epoch, SCHEDULE_PROTOCOL, STABLE_SNAPSHOT } from "../src/domain/schedules/Schedule/External.ts"
import { buildSnapshot, type ScheduleRow } from "../src/protocol/ScheduleSnapshot.ts"
import { type Ack, event, type ReceivedCommand, type TestAgent } from "./agent.ts"

export const schedulerHello = (schedulers: ReadonlyArray<string>, fields: Record<string, JsonInput> = {}) => ({
  engines: [],
  schedulers,
  capabilities: Object.fromEntries(schedulers.map((name) => [name, [STABLE_SNAPSHOT, "list", "trigger_now"]])),
  runtime_features: ["retry_by_reference", SCHEDULE_PROTOCOL],
  ...fields
})

/** A row as celery-beat's static source has it. */
export const row = (fields: Partial<Record<keyof ScheduleRow, JsonInput>> = {}): ScheduleRow => ({
  source_key: "static:1",
  engine: "celery",
  scheduler: "celery-beat",
  name: "nightly",
  task_name: "shop.report",
  kind: "cron",
  expression: "5 3 * * *",
  timezone: "UTC",
  queue: null,
  priority: "normal",
  args: [],
  kwargs: {},
  is_enabled: true,
  last_run_at: null,
  next_run_at: null,
  total_runs: 0,
  external_id: fields.source_key ?? "static:1",
  catch_up: "skip",
  source: "celery-beat:static",
  source_hash: null,
  ...fields
} as ScheduleRow) // tests put invalid values into rows too

/** As agents write times: with an offset. */
export const timeIn = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace("Z", "000+00:00")

/** An event of kind `schedule.snapshot` with this frame. */
export const frameEvent = (
  { frame, frame_digest }: { readonly frame: CanonicalText; readonly frame_digest: string },
  owner: string,
  fields: Record<string, JsonInput> = {}
) =>
  event({
    ...fields,
    kind: "schedule.snapshot",
    engine: owner,
    task_id: "",
    data: { external_snapshot_frame: frame, frame_digest, reason: "periodic" }
  })

export class Publisher {
  sequence = 0

  constructor(readonly agent: TestAgent, readonly epoch: Epoch) {}

  /** The frames of a snapshot. */
  frames(rows: ReadonlyArray<ScheduleRow>, options: { readonly sequence?: number; readonly maxBytes?: number } = {}) {
    const sequence = options.sequence ?? ++this.sequence
    return buildSnapshot(this.epoch, sequence, randomUUID(), rows, options.maxBytes)
  }

  /** Sends frames one after the other, as agents do; returns the acks. */
  send(
    frames: ReturnType<Publisher["frames"]>,
    fields: Record<string, JsonInput> = {}
  ): Effect.Effect<ReadonlyArray<Ack>> {
    return Effect.forEach(
      frames,
      (frame) => Effect.promise(() => this.agent.sendEvents([frameEvent(frame, this.epoch.owner, fields)]))
    )
  }

  /** A snapshot that was read so many seconds from now. */
  publish(rows: ReadonlyArray<ScheduleRow>, inSeconds = 0): Effect.Effect<ReadonlyArray<Ack>> {
    return Effect.suspend(() => this.send(this.frames(rows), { occurred_at: timeIn(inSeconds) }))
  }

  /** Sends an event `schedule.updated` (section 6.4). */
  update(
    rows: ReadonlyArray<ScheduleRow>,
    { deleted = [], operation_id = randomUUID() }: {
      readonly deleted?: ReadonlyArray<string>
      readonly operation_id?: string
    } = {}
  ): Effect.Effect<Ack> {
    const external_projection = new CanonicalText(canonicalize({
      ...this.epoch,
      protocol_version: 1,
      sequence: ++this.sequence,
      kind: "control",
      complete: false,
      stable_source: true,
      operation_id,
      schedules: rows,
      deleted_source_keys: deleted
    }))
    return Effect.promise(() =>
      this.agent.sendEvents([event({
        kind: "schedule.updated",
        engine: this.epoch.owner,
        task_id: "",
        data: { external_projection, payload_digest: digestOf(external_projection), reason: "external-control" }
      })])
    )
  }
}

/** The command that activates an agent's scheduler. */
export const activationOf = (agent: TestAgent, scheduler: string) =>
  Effect.promise(async () => {
    let found: ReceivedCommand | undefined
    await agent.when(() =>
      (found = agent.commands.find(({ action, parameters }) =>
        action === "schedule.external.activate" && parameters.scheduler === scheduler
      )) !== undefined
    )
    return found as ReceivedCommand // `when` resolves only then
  })

/** Sends the result of the scheduler's activation; nothing is published yet. */
export const activatePublisher = (agent: TestAgent, scheduler = "celery-beat") =>
  Effect.gen(function*() {
    const command = yield* activationOf(agent, scheduler)
    const { adapter_instance_id, epoch_number, epoch_uuid, owner, source_scope, stream_id } = command.parameters
    agent.sendResult(command, { status: "success", result: { scheduler } })
    return new Publisher(
      agent,
      // the cast: the brain sends these as section 6.3 says, and the agents check them
      { adapter_instance_id, epoch_number, epoch_uuid, owner, source_scope, stream_id } as Epoch
    )
  })
