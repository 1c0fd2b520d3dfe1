import { Effect } from "effect"
import { listAll } from "./ListAll.ts"
import type { ApiError, Remote } from "./Remote.ts"

/**
 * The ids of the agents that reported a worker, queue or task. Where several agents serve an engine, the command goes to the
 * one that reported it. An API key without the scope to read them gets an empty list.
 */
type Reporters = Effect.Effect<ReadonlyArray<string>, ApiError>

const emptyIfForbidden = (found: Reporters): Reporters => Effect.catchTag(found, "Forbidden", () => Effect.succeed([]))

/** Requests at a time. */
const concurrency = 4

/** The API's filters match parts of a name, so this many of the latest matches are searched for the exact name. */
const latestTasks = 50

/** The agents that reported the latest task of this queue or name. */
const reportersOfLatestTask = (remote: Remote, field: "name" | "queue", value: string): Reporters =>
  Effect.gen(function*() {
    const { api, slug } = remote
    const { items } = yield* api.tasks.list({
      path: { slug },
      urlParams: { [field]: value, limit: latestTasks, include_total: false }
    })
    const task = items.find((task) => task[field] === value)
    return task === undefined ? [] : yield* reportersOfTask(remote, task.engine, task.task_id)
  })

/** The agents that reported events of a task. */
export const reportersOfTask = ({ api, slug }: Remote, engine: string, task_id: string): Reporters =>
  emptyIfForbidden(Effect.map(
    api.events.list({ path: { slug }, urlParams: { engine, task_id } }),
    ({ items }) => items.map(({ agent_id }) => agent_id)
  ))

/** The agents that reported the latest task of this name. */
export const reportersOfTaskName = (remote: Remote, name: string): Reporters =>
  emptyIfForbidden(reportersOfLatestTask(remote, "name", name))

const reportersOfWorkers = (
  { api, slug }: Remote,
  matches: (worker: { readonly name: string; readonly queues: ReadonlyArray<string> }) => boolean
): Reporters =>
  Effect.gen(function*() {
    const matching = (yield* listAll((urlParams) =>
      api.workers.list({ path: { slug }, urlParams, withResponse: true })
    ))[0].filter(matches)
    const details = yield* Effect.forEach(matching, ({ id }) =>
      api.workers.get({ path: { slug, worker_id: id } }), { concurrency })
    return details.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id]))
  })

/** The agent that reported the worker last, and the agent whose process has this name. */
export const reportersOfWorker = (remote: Remote, name: string): Reporters =>
  emptyIfForbidden(Effect.gen(function*() {
    const reported = yield* reportersOfWorkers(remote, (worker) => worker.name === name)
    const [processes] = yield* listAll((urlParams) =>
      remote.api.workers.listAgentWorkers({ path: { slug: remote.slug }, urlParams, withResponse: true })
    )
    return [...reported, ...processes.filter(({ worker_id }) => worker_id === name).map(({ agent_id }) => agent_id)]
  }))

/** The agents that reported the workers of a queue; if there are none, the agents of its latest task. */
export const reportersOfQueue = (remote: Remote, queue: string): Reporters =>
  emptyIfForbidden(
    Effect.flatMap(
      reportersOfWorkers(remote, ({ queues }) => queues.includes(queue)),
      (reported) => reported.length > 0 ? Effect.succeed(reported) : reportersOfLatestTask(remote, "queue", queue)
    )
  )
