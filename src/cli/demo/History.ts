import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { hash } from "node:crypto"
import { makeElement } from "../../agent/engines/effect-queue/Element.ts"
import { canonicalize, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import type { AgentId, ProjectId } from "../../domain/kernel/Id.ts"
import type { AgentEvent } from "../../domain/kernel/TaskEvent.ts"
import type { TaskEventKind } from "../../domain/kernel/TaskState.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import { Ingest } from "../../services/tasks/Ingest.ts"
import * as Shop from "./Shop.ts"

export const engine = "effect-queue"

/** The project and the agent of the events. */
interface Reporter {
  readonly projectId: ProjectId
  readonly agentId: AgentId
}

/** A failed task, which the shop's queue keeps as a dead letter. */
interface DeadTask {
  readonly id: string
  readonly queue: string
  readonly element: string
  readonly failure: string
  readonly at: number
}

interface ShopHistory {
  readonly events: Array<AgentEvent>
  readonly dead: Array<DeadTask>
  readonly orders: number
}

interface Lineage {
  readonly parent: string | null
  readonly root: string | null
}

const MINUTE = 60_000
/** The history ends this long before now: the longest task takes 46 s, an order with all its retries 13. */
const MARGIN = 50_000

/** Orders in a minute. */
const ordersAt = (minute: number): number =>
  Math.floor(Shop.ordersPerMinute(minute * MINUTE) + Shop.pseudoRandom(minute, 20))

type Field = readonly [string, JsonInput]

const canonicalizeFields = (fields: ReadonlyArray<Field>) =>
  fields.map(([field, value]) => [field, canonicalize(value)] as const)

/** A deterministic id, so that an interrupted history can be ingested again without duplicates. */
const stableId = (what: string): string => {
  const hex = hash("sha256", what, "hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** The events of the shop between two times (epoch milliseconds). Plain code, because there are tens of thousands. */
export const generateHistory = (since: number, until: number, firstOrder: number): ShopHistory => {
  const events: Array<AgentEvent> = []
  const dead: Array<DeadTask> = []

  const simulateTask = (task: Shop.Task, at: number, place: Lineage): void => {
    const id = stableId(`${place.parent} ${at} ${canonicalize(task)}`)
    const queue = Shop.queueOf(task)
    const commonFields = canonicalizeFields([
      ["task_name", task._tag],
      ["queue", queue],
      ["args", []],
      ["kwargs", task],
      ["parent_task_id", place.parent],
      ["root_task_id", place.root]
    ])
    const addEvent = (kind: TaskEventKind, millis: number, more: ReadonlyArray<Field>) => {
      const data = new Map([...commonFields, ...canonicalizeFields(more)])
      events.push({
        id: stableId(`${id} ${kind} ${millis}`),
        kind,
        engine,
        taskId: id,
        occurredAt: Timestamp.fromEpochMillis(millis),
        data
      })
    }
    addEvent("task.received", at, [])
    let now = at + 4 + Shop.pseudoRandom(at, 21) * 900
    for (let attempt = 1;; attempt++) {
      const attemptFields: ReadonlyArray<Field> = [["worker", queue], ["attempt", attempt]]
      const { error, seconds } = Shop.planAttempt(task, attempt, false)
      const runtime = Math.round(seconds * 1000)
      addEvent("task.started", now, attemptFields)
      now += runtime
      const endFields = [...attemptFields, ["runtime_ms", runtime]] as const
      if (error === null) {
        addEvent("task.succeeded", now, [...endFields, ["result", Shop.resultOf(task)]])
        for (const next of Shop.followUpsOf(task, Math.floor(at / 1000))) {
          simulateTask(next, now, { parent: id, root: place.root ?? id })
        }
        return
      }
      const last = attempt === Shop.maxAttempts
      const failure = [["exception", error.name], ["exception_message", error.message], [
        "traceback",
        `${error.name}: ${error.message}`
      ]] as const
      addEvent(last ? "task.failed" : "task.retried", now, [...endFields, ...failure])
      now += 5
      if (!last) continue
      const element = JSON.stringify(makeElement(task, { id: place.parent, root: place.root }))
      dead.push({ id, queue, element, failure: `${error.name}: ${error.message}`, at: now })
      return
    }
  }

  let order = firstOrder
  for (let at = since; at < until - MARGIN; at += MINUTE) {
    const minute = Math.floor(at / MINUTE)
    for (let n = ordersAt(minute); n > 0; n--) {
      const placedAt = at + Shop.pseudoRandom(order, 22) * MINUTE
      if (placedAt < until - MARGIN) simulateTask(Shop.orderOf(order++), placedAt, { parent: null, root: null })
    }
    if (minute % 1440 === 120) {
      simulateTask({ _tag: "report.nightly_sales", day: dayBefore(at) }, at, { parent: null, root: null })
    }
  }
  const syncMillis = Shop.allSyncsSeconds * 1000
  for (let run = Math.ceil(since / syncMillis); run * syncMillis < until - MARGIN; run++) {
    simulateTask(Shop.syncOf(run), run * syncMillis, { parent: null, root: null })
  }
  events.sort((a, b) => (a.occurredAt < b.occurredAt ? -1 : a.occurredAt > b.occurredAt ? 1 : 0))
  return { events, dead, orders: order - firstOrder }
}

export const dayBefore = (millis: number): string => Timestamp.fromEpochMillis(millis - 1440 * MINUTE).slice(0, 10)

const batch = 1000

/** Offers the history to the brain's ingest in batches, as an agent would, and waits for each commit. */
export const ingestHistory = Effect.fnUntraced(function*({ events }: ShopHistory, { agentId, projectId }: Reporter) {
  const ingest = yield* Ingest
  for (let from = 0; from < events.length; from += batch) {
    const slice = events.slice(from, from + batch)
    yield* Effect.async<void>((resume) => {
      const onCommit = () => resume(Effect.void)
      const offer = () =>
        ingest.offer({ projectId, agentId, reporter: "the-past", events: slice, size: slice.length * 500, onCommit })
      if (offer()) return
      const stop = ingest.onCapacity(() => {
        if (offer()) stop()
      })
      return Effect.sync(stop)
    })
  }
})

/** The start of the history and the number of its first order. */
export interface HistoryStart {
  readonly since: number
  readonly first_order: number
}

/**
 * Where the history to ingest begins: that of an unfinished one, if the demo was stopped during it, else `initial`. Stored until
 * `insertDeadLetters` has finished it.
 */
export const beginHistory = Effect.fnUntraced(function*(initial: HistoryStart, oldest: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS unfinished_past (since INTEGER NOT NULL, first_order INTEGER NOT NULL)`
  const [unfinished] = yield* sql<HistoryStart>`SELECT since, first_order FROM unfinished_past`
  if (unfinished !== undefined && unfinished.since >= oldest) return unfinished
  yield* sql`DELETE FROM unfinished_past`
  yield* sql`INSERT INTO unfinished_past ${sql.insert({ ...initial })}`
  return initial
})

/** Inserts the history's failed tasks as dead letters, so that they can be retried, and marks the history as finished. */
export const insertDeadLetters = Effect.fnUntraced(function*(dead: ReadonlyArray<DeadTask>) {
  const sql = yield* SqlClient.SqlClient
  const rows = dead.map(({ at, element, failure, id, queue }) => {
    const when = Timestamp.fromEpochMillis(Math.round(at)).slice(0, 19).replace("T", " ")
    return {
      id,
      queue_name: queue,
      element,
      completed: 0,
      attempts: Shop.maxAttempts,
      last_failure: failure,
      created_at: when,
      updated_at: when
    }
  })
  yield* sql.withTransaction(Effect.gen(function*() {
    for (let from = 0; from < rows.length; from += 500) {
      yield* sql`INSERT INTO effect_queue ${sql.insert(rows.slice(from, from + 500))}`
    }
    yield* sql`DELETE FROM unfinished_past`
  }))
})
