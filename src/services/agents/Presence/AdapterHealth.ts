/**
 * The workers and queues in a heartbeat's `adapter_health` (the agents' protocol, section 2.5). Its content is an
 * agent's input: invalid parts are left out and are never an error.
 */
import { maskCredentials } from "../../../domain/kernel/net/UrlCredentials.ts"
import type { Redaction } from "../../../domain/kernel/Redaction.ts"
import { isStorable, toStorable } from "../../../domain/kernel/Text.ts"

export interface WorkerReport {
  readonly engine: string
  readonly name: string
  readonly hostname: string | null
  readonly pid: number | null
  readonly concurrency: number | null
  readonly queues: ReadonlyArray<string>
  readonly active_tasks: number
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface QueueReport {
  readonly engine: string
  readonly name: string
  readonly broker_type: string | null
  readonly broker_url_hint: string | null
  readonly depth: number | null
  /** 1: paused. Null: the agent cannot see pauses. */
  readonly paused: 0 | 1 | null
}

export interface AdapterReport {
  /** The engines that say whether their broker responds. */
  readonly brokers: ReadonlyMap<string, boolean>
  readonly workers: ReadonlyArray<WorkerReport>
  readonly queues: ReadonlyArray<QueueReport>
}

const maxEngineLength = 40
const maxNameLength = 200
const maxWorkers = 1000
const maxQueues = 1000
const maxTaskNames = 5000
const maxActiveTasks = 2000
const maxProcesses = 1000

/** `health`: `<engine>.<name>` to text, objects as JSON text. Scheduler names count as engines too. */
export const readAdapterHealth = (health: Readonly<Record<string, unknown>>, redaction: Redaction): AdapterReport => {
  const workers: Array<WorkerReport> = []
  const queues = new Map<string, QueueReport>()
  const brokers = new Map<string, boolean>()
  for (const [key, value] of Object.entries(health)) {
    const separator = key.indexOf(".")
    const engine = separator < 1 ? null : asName(key.slice(0, separator), maxEngineLength)
    const field = key.slice(separator + 1)
    if (engine !== null && field === "broker_connected") brokers.set(engine, String(value).toLowerCase() !== "false")
    if (engine === null || (field !== "worker_details" && field !== "queue_depths")) continue
    const brokerType = asName(health[`${engine}.broker_type`])
    const paused = readPausedQueues(health[`${engine}.paused_queues`])
    const add = (queue: string, depth: number | null, hint: string | null) => {
      const known = queues.get(`${engine}\n${queue}`)
      if (known === undefined && queues.size >= maxQueues) return
      queues.set(`${engine}\n${queue}`, {
        engine,
        name: queue,
        broker_type: brokerType,
        broker_url_hint: hint ?? known?.broker_url_hint ?? null,
        depth: depth ?? known?.depth ?? null,
        paused: paused === null ? null : paused.has(queue) ? 1 : 0
      })
    }
    const entries = Object.entries(asRecord(parseJson(value)))
    if (field === "queue_depths") {
      for (const [queue, depth] of entries) if (asName(queue) !== null) add(queue, asCount(depth), null)
      continue
    }
    for (const [node, details] of entries.slice(0, maxWorkers)) {
      if (asName(node) === null) continue
      const report = readWorker(engine, node, asRecord(details), redaction)
      workers.push(report)
      const hint = brokerUrlHint(asRecord(asRecord(asRecord(details).stats).broker))
      for (const queue of report.queues) add(queue, null, hint)
    }
  }
  return { brokers, workers, queues: [...queues.values()] }
}

/** Null where the agent says nothing of pauses. */
const readPausedQueues = (value: unknown): ReadonlySet<unknown> | null => {
  const names = parseJson(value)
  return Array.isArray(names) ? new Set(names.slice(0, maxQueues)) : null
}

/** One node of Celery's `worker_details`: `stats`, `active`, `active_queues`, `registered`, `conf`. */
const readWorker = (
  engine: string,
  node: string,
  details: Readonly<Record<string, unknown>>,
  redaction: Redaction
): WorkerReport => {
  const stats = asRecord(details.stats)
  const pool = asRecord(stats.pool)
  const totals = Object.values(asRecord(stats.total)).map((total) => asCount(total) ?? 0)
  const separator = node.indexOf("@")
  return {
    engine,
    name: node,
    hostname: separator === -1 ? asName(stats.hostname) : node.slice(separator + 1),
    pid: asInt32(stats.pid),
    concurrency: poolSizeOf(pool),
    queues: asArray(details.active_queues).flatMap((queue) => asName(asRecord(queue).name) ?? []),
    active_tasks: asArray(details.active).length,
    metadata: {
      registered: asArray(details.registered).flatMap((task) => asName(task) ?? []).slice(0, maxTaskNames),
      pool: pickScalars({ ...pool, processes: asArray(pool.processes).length }, redaction),
      process_ids: Array.isArray(pool.processes)
        ? pool.processes.slice(0, maxProcesses).flatMap((pid) => asInt32(pid) ?? [])
        : null,
      prefetch_count: asCount(stats.prefetch_count),
      active_task_ids: Array.isArray(details.active) ? taskIdsOf(details.active) : null,
      uptime_seconds: asCount(stats.uptime),
      processed_since_start: totals.reduce((sum, total) => sum + total, 0),
      conf: pickScalars(asRecord(details.conf), redaction)
    }
  }
}

/** A prefork pool that was resized still has the size that it started with as its `max-concurrency`. */
const poolSizeOf = (pool: Readonly<Record<string, unknown>>): number | null => {
  const processes = asArray(pool.processes).length
  const isPrefork = /\bprefork:/.test(asName(pool.implementation) ?? "")
  return isPrefork && processes > 0 ? processes : asInt32(pool["max-concurrency"])
}

/** Null where the report does not name each task, or names more than are stored: a part would hide that others run. */
const taskIdsOf = (active: ReadonlyArray<unknown>): ReadonlyArray<string> | null => {
  if (active.length > maxActiveTasks) return null
  const ids = active.flatMap((task) => asName(asRecord(task).id) ?? [])
  return ids.length === active.length ? ids : null
}

/** `redis://127.0.0.1:6379/12`: no user, no password. */
const brokerUrlHint = (broker: Readonly<Record<string, unknown>>): string | null => {
  const host = asName(broker.hostname)
  if (host === null) return null
  const port = asCount(broker.port)
  const path = asName(broker.virtual_host)?.replace(/^\/+/, "") ?? ""
  const url = `${asName(broker.transport) ?? "broker"}://${host}${port === null ? "" : `:${port}`}/${path}`
  return toStorable(maskCredentials(url), 2 * maxNameLength)
}

/**
 * The members with plain values, texts truncated. Leaves out members with secret names, and masks values that look like
 * secrets.
 */
const pickScalars = (from: Readonly<Record<string, unknown>>, redaction: Redaction): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(from).slice(0, 200).filter(([key, value]) =>
      !/password|secret|token|url|credential/i.test(key) && !redaction.isSecretKey(key) &&
      (value === null || ["string", "number", "boolean"].includes(typeof value))
    ).map(([key, value]) => [
      toStorable(key, maxNameLength, ""),
      typeof value === "string" ? toStorable(redaction.text(maskCredentials(value)), 500, "") : value
    ])
  )

const parseJson = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  // the cast: an object that is not an array has members of any type
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}

const asArray = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const asCount = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null

const asInt32 = (value: unknown): number | null => {
  const number = asCount(value)
  return number !== null && number < 2 ** 31 ? number : null
}

/** A name that both databases can hold, or null. */
const asName = (value: unknown, maxLength = maxNameLength): string | null =>
  typeof value === "string" && value !== "" && value.length <= maxLength && isStorable(value)
    ? value
    : null
