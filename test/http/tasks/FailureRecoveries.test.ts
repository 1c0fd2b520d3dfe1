import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { AgentId } from "../../../src/domain/kernel/Id.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import type { FailureGroup } from "../../../src/domain/tasks/Failure/Group.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { eventOf, offerEvents } from "../../services/tasks/Ingest/world.ts"
import { until } from "../../until.ts"

/** Three hours ago: `2026-11-21T12`. */
const hour = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 13)

const taskEvent = (kind: string, task_id: string, second: number, data: { readonly [key: string]: JsonInput } = {}) =>
  eventOf({
    id: randomUUID(),
    kind: `task.${kind}`,
    engine: "celery",
    task_id,
    occurred_at: `${hour}:00:${String(second).padStart(2, "0")}.000000+00:00`,
    data: { task_name: "shop.pay", queue: "mail", worker: "w@h", ...data }
  })

const failedRun = (task: string, second: number, task_name = "shop.pay") => [
  taskEvent("started", task, second, { task_name }),
  taskEvent("failed", task, second + 1, { task_name, exception: "ValueError: no such order" })
]

const succeededRun = (task: string, second: number, task_name = "shop.pay") => [
  taskEvent("started", task, second, { task_name }),
  taskEvent("succeeded", task, second + 1, { task_name })
]

const world = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const project = yield* freshProject()
  const key = yield* freshKey({ roles: { [project.id]: "admin" } })
  const source = { projectId: project.id, agentId: AgentId.make(randomUUID()) }
  const basePath = `/projects/${project.slug}`
  const issues = Effect.map(
    request("GET", `${basePath}/issues?limit=200`, key),
    ({ json }): ReadonlyArray<FailureGroup> => json.items
  )
  return {
    project,
    report: (events: ReadonlyArray<ReturnType<typeof taskEvent>>) => offerEvents(source, events),
    post: (path: string, body: object) => request("POST", `${basePath}${path}`, { ...key, body }),
    get: (path: string) => request("GET", `${basePath}${path}`, key),
    issues,
    /** The only group's failed attempts, open and recovered tasks. */
    counts: Effect.map(issues, ([group]) => [group?.occurrences, group?.open_count, group?.recovered_count]),
    /** As the inbox does, but due for another check at once. */
    link: (pairs: ReadonlyArray<readonly [task_id: string, new_task_id: string]>) =>
      Effect.gen(function*() {
        const now = yield* Timestamp.now
        const rows = yield* Effect.forEach(pairs, ([task_id, new_task_id]) =>
          Effect.map(Ids.next, (command_id) => ({
            project_id: project.id,
            engine: "celery",
            task_id,
            new_task_id,
            command_id,
            check_at: now,
            recheck_at: now
          })))
        yield* sql`INSERT INTO task_retries ${sql.insert(rows)}`
      }),
    /** Waits until the brain has checked every link of the project. */
    awaitChecks: until(
      sql<{ n: number }>`SELECT CAST(count(*) AS INTEGER) AS n FROM task_retries
        WHERE project_id = ${project.id} AND check_at IS NOT NULL`,
      ([row]) => row?.n === 0
    ),
    recheckAll: Effect.flatMap(
      Timestamp.now,
      (now) => sql`UPDATE task_retries SET check_at = ${now} WHERE project_id = ${project.id}`
    )
  }
})

type World = Effect.Effect.Success<typeof world>

/** All orders of the steps. */
const ordersOf = <A>(steps: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  steps.length <= 1
    ? [steps]
    : steps.flatMap((first, position) =>
      ordersOf(steps.filter((_, index) => index !== position)).map((rest) => [first, ...rest])
    )

/** A task, its retry that failed as well, and the retry's retry that succeeded. */
const steps = ["a fails", "b fails", "c succeeds", "b of a", "c of b"] as const

/** Letters only: digits of a name do not distinguish groups. */
const letters = (index: number) => String.fromCharCode(97 + Math.floor(index / 26), 97 + (index % 26))

const take = (
  world: World,
  selection: ReadonlyArray<{ readonly step: (typeof steps)[number]; readonly order: number }>
) =>
  Effect.gen(function*() {
    const events: Array<ReturnType<typeof taskEvent>> = []
    const links: Array<readonly [string, string]> = []
    for (const { order, step } of selection) {
      const name = `shop.${letters(order)}`
      const task = (letter: string) => `${letter}${order}`
      if (step === "a fails") events.push(...failedRun(task("a"), 1, name))
      else if (step === "b fails") events.push(...failedRun(task("b"), 11, name))
      else if (step === "c succeeds") events.push(...succeededRun(task("c"), 21, name))
      else links.push(step === "b of a" ? [task("a"), task("b")] : [task("b"), task("c")])
    }
    if (links.length > 0) yield* world.link(links)
    yield* world.report(events)
    yield* world.report(events) // an agent without an ack sends them again
  })

describe.each(laneEngines)("failures that a retry under another id recovers on %s", (database) => {
  layer(serverOn(database, { tasksRetentionDays: 3650 }), { excludeTestServices: true })((it) => {
    it.scoped("count as recovered once the task that Celery's retry created succeeds", () =>
      Effect.gen(function*() {
        const { counts, get, post, project, report } = yield* world
        const credentials = yield* freshAgent(project)
        const agent = yield* connected({ base: yield* baseUrl, ...credentials })
        agent.onCommand = (command) => agent.sendResult(command, { status: "success", result: { new_task_id: "new" } })
        yield* report([...failedRun("old", 1), ...failedRun("other", 1)])
        assert.deepStrictEqual(yield* counts, [2, 2, 0])
        const body = { agent_id: credentials.agent_id, engine: "celery", task_id: "old" }
        assert.strictEqual((yield* post("/commands/retry-task", body)).status, 202)
        yield* until(get("/tasks/celery/old"), ({ json }) => json.retried_as.length === 1)
        yield* report([taskEvent("started", "new", 10)])
        assert.deepStrictEqual(yield* counts, [2, 2, 0], "while the retry runs")
        yield* report([taskEvent("succeeded", "new", 12)])
        yield* until(counts, ([, open]) => open === 1)
        assert.deepStrictEqual(yield* counts, [2, 1, 1])
        yield* report(succeededRun("old", 20))
        assert.deepStrictEqual(yield* counts, [2, 1, 1], "a task counts once")
        yield* report(failedRun("new", 30))
        yield* until(counts, ([, open]) => open === 2)
        assert.deepStrictEqual(yield* counts, [3, 2, 1], "the retry failed later, the old task has its own success")
      }))

    it.scoped("have the same counts in every order of events and links, also when they are repeated", () =>
      Effect.gen(function*() {
        const here = yield* world
        const orders = ordersOf(steps)
        for (const position of steps.keys()) {
          yield* take(here, orders.map((order, index) => ({ step: order[position] ?? "a fails", order: index })))
          if (position % 2 === 1) yield* here.awaitChecks
        }
        yield* here.awaitChecks
        const check = (expected: ReadonlyArray<number>) =>
          Effect.map(here.issues, (groups) => {
            assert.lengthOf(groups, orders.length)
            for (const group of groups) {
              const name = String(group.sample_task_name).slice(5)
              const order = orders[(name.charCodeAt(0) - 97) * 26 + name.charCodeAt(1) - 97]?.join(", ")
              assert.deepStrictEqual([group.occurrences, group.open_count, group.recovered_count], expected, order)
            }
          })
        yield* check([2, 0, 2])
        yield* here.recheckAll
        yield* here.awaitChecks
        yield* check([2, 0, 2])
        yield* here.report(orders.flatMap((_, order) => failedRun(`c${order}`, 31, `shop.${letters(order)}`)))
        yield* here.awaitChecks
        yield* check([3, 3, 0])
        yield* here.report(orders.flatMap((_, order) => succeededRun(`c${order}`, 41, `shop.${letters(order)}`)))
        yield* here.awaitChecks
        yield* check([3, 0, 3])
      }))

    it.scoped("stay recovered when the task that succeeded is deleted, and by another one when it fails", () =>
      Effect.gen(function*() {
        const { counts, link, post, project, report, awaitChecks } = yield* world
        const sql = yield* SqlClient.SqlClient
        yield* report([...failedRun("old", 1), ...succeededRun("x", 11), ...succeededRun("y", 12)])
        yield* link([["old", "x"], ["old", "y"]])
        yield* awaitChecks
        assert.deepStrictEqual(yield* counts, [1, 0, 1])
        yield* report(failedRun("x", 21))
        yield* awaitChecks
        assert.deepStrictEqual(yield* counts, [2, 1, 1], "x is open, old has y")
        const [y] = yield* sql<{ id: string }>`SELECT id FROM tasks WHERE project_id = ${project.id} AND task_id = 'y'`
        yield* post("/tasks/bulk-delete", { task_ids: [y?.id] })
        yield* report([taskEvent("failed", "x", 41, { exception: "ValueError: no such order" })])
        yield* link([["old", "z"]])
        yield* awaitChecks
        assert.strictEqual((yield* counts)[1], 1, "x")
        const [old] = yield* sql<
          { id: string }
        >`SELECT id FROM tasks WHERE project_id = ${project.id} AND task_id = 'old'`
        yield* post("/tasks/bulk-delete", { task_ids: [old?.id] })
        assert.deepStrictEqual((yield* counts).slice(1), [1, 1], "a deleted task has recovered for good")
      }))

    it.scoped("end their walk in a circle of retries", () =>
      Effect.gen(function*() {
        const { counts, link, report, awaitChecks } = yield* world
        yield* report([...failedRun("a", 1), ...failedRun("b", 2)])
        yield* link([["a", "b"], ["b", "a"]])
        yield* awaitChecks
        assert.deepStrictEqual(yield* counts, [2, 2, 0])
        yield* report(succeededRun("b", 11))
        yield* awaitChecks
        assert.deepStrictEqual(yield* counts, [2, 0, 2])
        yield* report(failedRun("b", 21))
        yield* awaitChecks
        assert.deepStrictEqual(yield* counts, [3, 2, 0])
      }))
  })
})
