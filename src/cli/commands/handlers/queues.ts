import { Console, Effect, Option } from "effect"
import type { Queue } from "../../../domain/agents/Queue.ts"
import type { QueuePause } from "../../../domain/agents/QueuePause.ts"
import { PauseQueueRequest, ResumeQueueRequest } from "../../../domain/commands/Command/Requests.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import type { QueueDetail } from "../../../domain/tasks/Queue/Detail.ts"
import { formatBars, maxBars } from "../../io/Bars.ts"
import { givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatSeconds, type View } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { listAll } from "../../remote/ListAll.ts"
import type { Remote } from "../../remote/Remote.ts"
import { reportersOfQueue } from "../../remote/Reporters.ts"
import { type EngineOptions, resolveAgentAndEngine } from "../../remote/Target.ts"
import { action } from "../Action.ts"
import type { definitions } from "../queues.ts"

const describePause = (pause: QueuePause | null): string | null => {
  if (pause === null) return null
  const { paused_by, reason, resume_at, status } = pause
  const facts = [reason ?? "in the engine", paused_by?.name ?? null, resume_at === null ? null : `until ${resume_at}`]
  return [status, ...facts.filter((fact) => fact !== null)].join(", ")
}

const columns: ReadonlyArray<Column<Queue>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "ENGINE", cell: ({ engine }) => engine },
  { head: "WAITING", cell: ({ depth }) => depth },
  { head: "OLDEST", cell: ({ oldest_waiting_at }, view) => formatAge(oldest_waiting_at, view), hidesEmpty: true },
  {
    head: "TARGET",
    cell: ({ is_over_target, start_target_seconds }) =>
      start_target_seconds === null ? null : `${start_target_seconds}s${is_over_target ? " missed" : ""}`,
    hidesEmpty: true
  },
  { head: "PAUSE", cell: ({ pause }) => describePause(pause), maxLength: 60, minLength: 8, hidesEmpty: true },
  { head: "BROKER", cell: ({ broker_type }) => broker_type, minLength: 6, dropRank: 1, hidesEmpty: true },
  { head: "SEEN", cell: ({ last_seen_at }, view) => formatAge(last_seen_at, view) }
]

const describeForecast = ({ forecast }: QueueDetail): string => {
  if (forecast === null) return "too few reports of the last 15 minutes"
  const { empty_in_seconds, per_minute, trend } = forecast
  const rate = `${per_minute > 0 ? "+" : ""}${per_minute}/min`
  switch (trend) {
    case "empty":
      return "nothing waits"
    case "emptying":
      return `empty in ${formatSeconds(empty_in_seconds ?? 0)} (${rate})`
    case "growing":
      return `${rate}, never empty at this rate`
    case "steady":
      return `steady (${rate})`
    case "turned":
      return `the depth has just turned (${rate})`
  }
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const describeSizing = ({ sizing, start_target_seconds }: QueueDetail): string | null => {
  if (start_target_seconds === null) return null
  if (sizing === null) return "fewer than 20 tasks in the last hour"
  const { busy_slots, mean_runtime_ms, received_per_minute, slots, slots_now, workers, workers_now } = sizing
  const workersNow = `${countOf(workers_now, "worker")} now`
  const now = slots_now === null ? workersNow : `${countOf(slots_now, "slot")} on ${workersNow}`
  return `${countOf(slots, "slot")}${
    workers === null ? "" : `, ${countOf(workers, "worker")} of this size`
  } (${now}); by ` +
    `${received_per_minute} tasks/min of ${mean_runtime_ms} ms, which keep ${busy_slots} slots busy, as Erlang C has it`
}

/** The depths of the window as one line of bars, each the largest of its time. */
const formatDepths = ({ depths, window }: QueueDetail): string | null => {
  const values = depths.map(({ depth }) => depth ?? 0)
  const highest = Math.max(...values)
  if (highest === 0) return null
  const perBar = Math.ceil(values.length / maxBars)
  const largest = Array.from(
    { length: Math.ceil(values.length / perBar) },
    (_, bar) => Math.max(...values.slice(bar * perBar, (bar + 1) * perBar))
  )
  return `${formatBars(largest)}| ${window}, the highest is ${highest}`
}

const formatQueue = (queue: QueueDetail, _: string, view: View): string =>
  formatFields([
    ["queue", queue.name],
    ["engine", queue.engine],
    ["waiting", queue.depth ?? queue.depth_note],
    ["pause", describePause(queue.pause)],
    ["forecast", describeForecast(queue)],
    ["depth", formatDepths(queue)],
    ["oldest", formatAge(queue.oldest_waiting_at, view)],
    [
      "target",
      queue.start_target_seconds === null
        ? null
        : `${queue.start_target_seconds} s${queue.is_over_target ? ", missed" : ""}`
    ],
    ["needed", describeSizing(queue)],
    ["received, 1 h", queue.received_1h],
    ["ended, 1 h", queue.ended_1h],
    ["broker", queue.broker_type],
    ["last report", queue.last_seen_at]
  ])

/** The path of the queue of this name; without an engine the only one of that name. */
const pathOf = ({ api, slug }: Remote, name: string, engine: Option.Option<string>) =>
  Effect.gen(function*() {
    if (Option.isSome(engine)) return { slug, name, engine: engine.value }
    const [queues] = yield* listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true }))
    const [found, ...others] = queues.filter((queue) => queue.name === name)
    if (found === undefined) {
      return yield* new CliError({ message: `no such queue: ${escapeText(name)} (svc queues list has them)` })
    }
    if (others.length === 0) return { slug, name, engine: found.engine }
    const engines = [found, ...others].map((queue) => queue.engine).join(" and ")
    return yield* new CliError({
      usage: true,
      message: `${engines} both have a queue ${escapeText(name)}: name one with --engine`
    })
  })

interface QueueOptions extends EngineOptions {
  readonly queue: string
}

const resolveQueue = (remote: Remote, options: QueueOptions) =>
  Effect.map(
    resolveAgentAndEngine(remote, options, reportersOfQueue(remote, options.queue)),
    (target) => ({ ...target, queue: options.queue })
  )

export const handlers: HandlersOf<typeof definitions> = {
  list: list(
    columns,
    ({ api, slug }) => listAll((urlParams) => api.queues.list({ path: { slug }, urlParams, withResponse: true }))
  ),
  show: show(function*(remote, { engine, queue, window }) {
    const path = yield* pathOf(remote, queue, engine)
    return yield* remote.api.queues.get({ path, urlParams: givenOf({ window }), withResponse: true })
  }, formatQueue),
  pause: action(
    PauseQueueRequest,
    (remote, options: QueueOptions & { readonly reason: string; readonly minutes: Option.Option<number> }) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const resume_at = Option.map(options.minutes, (minutes) => Timestamp.addSeconds(now, minutes * 60))
        return {
          ...(yield* resolveQueue(remote, options)),
          reason: options.reason,
          resume_at: Option.getOrNull(resume_at)
        }
      }),
    (commands) => commands.pauseQueue
  ),
  resume: action(ResumeQueueRequest, resolveQueue, (commands) => commands.resumeQueue),
  target: call(function*(remote, { engine, queue, seconds }) {
    const path = yield* pathOf(remote, queue, engine)
    const start_within_seconds = seconds <= 0 ? null : seconds
    yield* remote.api.queues.setTarget({ path, payload: { start_within_seconds } })
    yield* Console.log(
      `${escapeText(queue)}: ${start_within_seconds === null ? "no target" : `start within ${seconds} s`}`
    )
  })
}
