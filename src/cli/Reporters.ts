import { Effect } from "effect"
import { listAll } from "./ListAll.ts"
import type { ApiError, Remote } from "./Remote.ts"

/**
 * Which agents have reported a worker, queue or task, by their ids: where several agents serve an engine, the one that
 * reported it is meant. A key without the scope to look finds nothing.
 */
type Reporters = Effect.Effect<ReadonlyArray<string>, ApiError>

const emptyIfForbidden = (found: Reporters): Reporters => Effect.catchTag(found, "Forbidden", () => Effect.succeed([]))

/** Each agent is one place more to look at, and people have few. */
const concurrency = 4

/** The API's filters find parts of a name, so the latest of these tasks is looked through for the very name. */
const latestTasks = 50

/** Who reported the latest task of this queue or name. */
const reportersOfLatestTask = (remote: Remote, field: "name" | "queue", value: string): Reporters =>
  Effect.gen(function*() {
    const { api, slug } = remote
    const { items } = yield* api.tasks.list({ path: { slug }, urlParams: { [field]: value, limit: latestTasks, include_total: false } })
    const task = items.find((task) => task[field] === value)
    return task === undefined ? [] : yield* reportersOfTask(remote, task.engine, task.task_id)
  })

/** Of a task: who reported its events. */
export const reportersOfTask = ({ api, slug }: Remote, engine: string, task_id: string): Reporters =>
  emptyIfForbidden(Effect.map(
    api.events.list({ path: { slug }, urlParams: { engine, task_id } }),
    ({ items }) => items.map(({ agent_id }) => agent_id)
  ))

/** Of tasks with this name: who reported the latest. */
export const reportersOfTaskName = (remote: Remote, name: string): Reporters => emptyIfForbidden(reportersOfLatestTask(remote, "name", name))

const reportersOfWorkers = ({ api, slug }: Remote, matches: (worker: { readonly name: string; readonly queues: ReadonlyArray<string> }) => boolean): Reporters =>
  Effect.gen(function*() {
    const matching = (yield* listAll((urlParams) => api.workers.list({ path: { slug }, urlParams, withResponse: true })))[0].filter(matches)
    const details = yield* Effect.forEach(matching, ({ id }) => api.workers.get({ path: { slug, worker_id: id } }), { concurrency })
    return details.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id]))
  })

/** Of a worker: who reported it last, or the agent whose process it is. */
export const reportersOfWorker = (remote: Remote, name: string): Reporters =>
  emptyIfForbidden(Effect.gen(function*() {
    const reported = yield* reportersOfWorkers(remote, (worker) => worker.name === name)
    const processes = yield* remote.api.workers.listAgentWorkers({ path: { slug: remote.slug }, urlParams: { limit: 500 } })
    return [...reported, ...processes.filter(({ worker_id }) => worker_id === name).map(({ agent_id }) => agent_id)]
  }))

/** Of a queue: who reported the workers that take from it, else its latest task. */
export const reportersOfQueue = (remote: Remote, queue: string): Reporters =>
  emptyIfForbidden(Effect.flatMap(reportersOfWorkers(remote, ({ queues }) => queues.includes(queue)), (reported) =>
    reported.length > 0 ? Effect.succeed(reported) : reportersOfLatestTask(remote, "queue", queue)))
