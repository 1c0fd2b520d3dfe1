/**
 * What a heartbeat's `adapter_health` says about an engine's workers and queues (the agents' protocol, section 2.5).
 * Everything in it is an agent's word: what does not fit is left out, never an error.
 */
import { withoutCredentials } from "../../domain/Credentials.ts"
import type { Redaction } from "../../domain/Redaction.ts"

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
}

export interface AdapterReport {
  readonly workers: ReadonlyArray<WorkerReport>
  readonly queues: ReadonlyArray<QueueReport>
}

const longestName = 200
const mostWorkers = 1000
const mostQueues = 1000
const mostTaskNames = 5000
const mostActive = 2000

/** `health`: `<engine>.<name>` to text, objects as JSON text. Scheduler names count as engines too. */
export const readAdapterHealth = (health: Readonly<Record<string, unknown>>, redaction: Redaction): AdapterReport => {
  const workers: Array<WorkerReport> = []
  const queues = new Map<string, QueueReport>()
  for (const [key, value] of Object.entries(health)) {
    const at = key.indexOf(".")
    const engine = key.slice(0, at)
    const field = key.slice(at + 1)
    if (at < 1 || engine.length > 40 || (field !== "worker_details" && field !== "queue_depths")) continue
    const brokerType = name(health[`${engine}.broker_type`])
    const add = (queue: string, depth: number | null, hint: string | null) => {
      const known = queues.get(`${engine}\n${queue}`)
      if (known === undefined && queues.size >= mostQueues) return
      queues.set(`${engine}\n${queue}`, {
        engine,
        name: queue,
        broker_type: brokerType,
        broker_url_hint: hint ?? known?.broker_url_hint ?? null,
        depth: depth ?? known?.depth ?? null
      })
    }
    const entries = Object.entries(record(parse(value)))
    if (field === "queue_depths") {
      for (const [queue, depth] of entries) if (name(queue) !== null) add(queue, count(depth), null)
      continue
    }
    for (const [node, details] of entries.slice(0, mostWorkers)) {
      if (name(node) === null) continue
      const report = workerOf(engine, node, record(details), redaction)
      workers.push(report)
      const hint = brokerHint(record(record(record(details).stats).broker))
      for (const queue of report.queues) add(queue, null, hint)
    }
  }
  return { workers, queues: [...queues.values()] }
}

/** One node of Celery's `worker_details`: `stats`, `active`, `active_queues`, `registered`, `conf`. */
const workerOf = (engine: string, node: string, details: Readonly<Record<string, unknown>>, redaction: Redaction): WorkerReport => {
  const stats = record(details.stats)
  const pool = record(stats.pool)
  const totals = Object.values(record(stats.total)).map((total) => count(total) ?? 0)
  const at = node.indexOf("@")
  return {
    engine,
    name: node,
    hostname: at === -1 ? name(stats.hostname) : node.slice(at + 1),
    pid: int32(stats.pid),
    concurrency: int32(pool["max-concurrency"]),
    queues: list(details.active_queues).flatMap((queue) => name(record(queue).name) ?? []),
    active_tasks: list(details.active).length,
    metadata: {
      registered: list(details.registered).flatMap((task) => name(task) ?? []).slice(0, mostTaskNames),
      pool: scalars({ ...pool, processes: list(pool.processes).length }, redaction),
      prefetch_count: count(stats.prefetch_count),
      active_task_ids: Array.isArray(details.active)
        ? details.active.slice(0, mostActive).flatMap((task) => name(record(task).id) ?? [])
        : null,
      uptime_seconds: count(stats.uptime),
      processed_since_start: totals.reduce((sum, total) => sum + total, 0),
      conf: scalars(record(details.conf), redaction)
    }
  }
}

/** `redis://127.0.0.1:6379/12`: no user, no password. */
const brokerHint = (broker: Readonly<Record<string, unknown>>): string | null => {
  const host = name(broker.hostname)
  if (host === null) return null
  const port = count(broker.port)
  const path = name(broker.virtual_host)?.replace(/^\/+/, "") ?? ""
  const url = `${name(broker.transport) ?? "broker"}://${host}${port === null ? "" : `:${port}`}/${path}`
  return withoutCredentials(url).slice(0, 2 * longestName)
}

/** The members that are plain values, texts cut; keeps what may name a secret out, and masks what shows by its form. */
const scalars = (from: Readonly<Record<string, unknown>>, redaction: Redaction): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(from).slice(0, 200).filter(([key, value]) =>
      !/password|secret|token|url|credential/i.test(key) && !redaction.secretKey(key) &&
      (value === null || ["string", "number", "boolean"].includes(typeof value))
    ).map(([key, value]) => [storable(key, longestName), typeof value === "string" ? storable(redaction.text(withoutCredentials(value)), 500) : value])
  )

const parse = (value: unknown): unknown => {
  if (typeof value !== "string") return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  // The cast: an object that is no array has members, whatever they are.
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Record<string, unknown> : {}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const count = (value: unknown): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null

const int32 = (value: unknown): number | null => {
  const number = count(value)
  return number !== null && number < 2 ** 31 ? number : null
}

/** A name that both databases can hold, or null. */
const name = (value: unknown): string | null =>
  typeof value === "string" && value !== "" && value.length <= longestName && storable(value, longestName) === value
    ? value
    : null

/** Cut to `most` characters, without NUL and without halves of surrogate pairs. */
export const storable = (text: string, most: number): string => text.slice(0, most).replaceAll("\0", "").toWellFormed()
