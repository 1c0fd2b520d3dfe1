import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { AgentId } from "../../src/domain/kernel/Id.ts"
import type { TaskState } from "../../src/domain/kernel/TaskState.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as TaskHistory from "../../src/domain/tasks/TaskHistory.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { insertTasks, type StoredTask, storedTask } from "../../test/tasks.ts"
import { databaseOf } from "../services.ts"

/** Within the retention of 30 days: none is swept while the bench runs. */
const span = 25 * 86_400_000
const batch = 20_000
/** Tasks that share a root. */
const treeSize = 12

const stateOf = (index: number): TaskState => {
  const share = (index * 7919) % 1000
  return share < 920 ? "success" : share < 970 ? "failure" : share < 985 ? "retry" : share < 995 ? "started" : "revoked"
}

const at = (millis: number) => Timestamp.fromEpochMicros(millis * 1000)

const kinds = ["task.received", "task.started", "task.succeeded"] as const

const historyOf = (taskId: string, name: string, worker: string, millis: number): string => {
  const history = TaskHistory.emptyHistory()
  kinds.forEach((kind, index) =>
    TaskHistory.addEvent(history, {
      id: randomUUID(),
      kind,
      engine: "celery",
      taskId,
      occurredAt: at(millis + index * 10),
      agentId: AgentId.make("01900000-0000-7000-8000-00000000a6e7"),
      reporter: "",
      data: new Map([["task_name", JSON.stringify(name)], ["worker", JSON.stringify(worker)]])
    })
  )
  return TaskHistory.encode(history)
}

/** Like a busy Celery site's: 200 names, 10 queues, 20 workers, a third of the tasks in trees of twelve. */
const taskOf = (projectId: string, index: number, millis: number, root: string): StoredTask => {
  const name = `shop.module${index % 40}.task_${index % 200}`
  const worker = `celery@worker-${index % 20}`
  const inTree = Math.floor(index / treeSize) % 3 === 0
  const first = index % treeSize === 0
  const task_id = inTree && first ? root : randomUUID()
  const state = stateOf(index)
  return storedTask(projectId, millis, {
    task_id,
    name,
    state,
    queue: `queue-${index % 10}`,
    worker_name: worker,
    args: `[${index},"some argument",{"deep":[1.0,2,3]}]`,
    kwargs: `{"customer_id":${index},"email":"customer${index}@example.com"}`,
    result: state === "success" ? `{"ok":true,"id":${index}}` : null,
    exception: state === "failure" ? "ValueError: no such customer" : null,
    received_at: at(millis - 30),
    started_at: at(millis - 20),
    finished_at: at(millis - 10),
    first_event_at: at(millis - 30),
    runtime_ms: 10,
    root_task_id: inTree && !first ? root : null,
    parent_task_id: inTree && !first ? root : null,
    history: historyOf(task_id, name, worker, millis)
  })
}

/** An API key of a viewer, put in directly: the bench speaks for itself, not for a person. */
export const viewerKey = (projectIds: ReadonlyArray<string>, name = "bench") =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const created_at = yield* Timestamp.now
    const user_id = yield* Ids.next
    const token = `svk_${yield* Ids.secret}`
    yield* sql`INSERT INTO users ${
      sql.insert({
        id: user_id,
        email: `${name}@example.com`,
        email_key: `${name}@example.com`,
        password_hash: "!",
        is_admin: 0,
        is_active: 1,
        timezone: "UTC",
        created_at,
        updated_at: created_at
      })
    }`
    for (const project_id of projectIds) {
      yield* sql`INSERT INTO memberships ${
        sql.insert({ id: yield* Ids.next, user_id, project_id, role: "viewer", created_at })
      }`
    }
    yield* sql`INSERT INTO api_keys ${
      sql.insert({
        id: yield* Ids.next,
        user_id,
        name,
        prefix: token.slice(0, 12),
        token_hash: Ids.hashSecret(token),
        scopes: JSON.stringify(["tasks:read", "home:read"]),
        created_at
      })
    }`
    return token
  })

export interface Seeded {
  readonly token: string
  /** Ids and engine's ids of some tasks, oldest first. */
  readonly samples: ReadonlyArray<{ readonly id: string; readonly task_id: string; readonly inTree: boolean }>
}

/** Fills the project of a brain's database with tasks of the last 25 days. */
export const seed = (env: Readonly<Record<string, string>>, projectId: string, tasks: number) =>
  Effect.gen(function*() {
    const samples = yield* seedTasks(projectId, tasks)
    return { token: yield* viewerKey([projectId]), samples } satisfies Seeded
  }).pipe(Effect.provide(databaseOf(env)))

export const seedTasks = (projectId: string, tasks: number) =>
  Effect.gen(function*() {
    const samples: Array<Seeded["samples"][number]> = []
    const end = yield* Effect.map(Timestamp.now, Timestamp.toEpochMillis)
    let root = Ids.uuidv7(end)
    for (let from = 0; from < tasks; from += batch) {
      const rows = Array.from({ length: Math.min(batch, tasks - from) }, (_, index) => {
        const number = from + index
        if (number % treeSize === 0) root = randomUUID()
        return taskOf(projectId, number, Math.floor(end - span + (span * number) / tasks), root)
      })
      yield* insertTasks(rows)
      rows.forEach(({ id, root_task_id, task_id }, index) => {
        if (index % 500 === 7) samples.push({ id, task_id, inTree: root_task_id !== null })
      })
    }
    return samples
  })
