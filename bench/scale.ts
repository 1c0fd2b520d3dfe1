import { Effect } from "effect"
import { encodeCursor } from "../src/domain/kernel/Page.ts"
import { builtProgram } from "./brain.ts"
import { clientOf } from "./list/client.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { nameOf, names, numberInTree, queues, sampleOf, taskIdOf } from "./scale/rows.ts"
import { siteWithTasks } from "./scale/site.ts"
import { readSizes } from "./scale/sizes.ts"

/**
 * Reads of a project that has nine tenths of `tasks` tasks, over HTTP: milliseconds, p50 and p99; the size of the
 * database, and the brain's start on it. `keep` is 1 to leave the database for the next run, which then begins with
 * it. Prints one line of JSON.
 * `npx vite-node bench/scale.ts sqlite|postgresql [tasks=10000000] [keep=0]`
 */
const { database, keep, tasks } = databaseAndNumbersOf("scale", { tasks: 10_000_000, keep: 0 })

const path = (rest: string) => `/projects/bench${rest}`
const query = (text: string) => `/tasks?query=${encodeURIComponent(text)}`
const list = (query: string) => path(`/tasks${query}`)

report(Effect.gen(function*() {
  const { end, env, projectIds, seconds, site, token } = yield* siteWithTasks(
    yield* builtProgram,
    database,
    tasks,
    keep === 1
  )
  const begun = performance.now()
  const brain = yield* site.brain
  const startSeconds = Number(((performance.now() - begun) / 1000).toFixed(2))
  const client = clientOf(brain.url, token)
  const sample = (index: number) => sampleOf({ projectIds, end, tasks }, (index * 7_919_333 + 40) % tasks)
  const inTree = (index: number) => taskIdOf(numberInTree((index * 7_919_333) % tasks))

  const reads = {
    firstPage: yield* client.measure(200, () => list("")),
    state: yield* client.measure(60, (index) => list(`?state=${index % 2 === 0 ? "failure" : "success"}`)),
    name: yield* client.measure(60, (index) => list(`?name=${nameOf(index % names)}`)),
    queue: yield* client.measure(60, (index) => list(`?queue=queue-${index % queues}`)),
    worker: yield* client.measure(60, (index) => list(`?worker=celery%40worker-${index % 40}`)),
    deepCursor: yield* client.measure(60, (index) => list(`?cursor=${encodeCursor("tasks", [sample(index).id])}`)),
    detail: yield* client.measure(60, (index) => list(`/celery/${sample(index).taskId}`)),
    tree: yield* client.measure(60, (index) => list(`/celery/${inTree(index)}/tree`)),
    events: yield* client.measure(60, (index) => path(`/events?engine=celery&task_id=${sample(index).taskId}`)),
    why: yield* client.measure(60, (index) => list(`/celery/${sample(index).taskId}/why`)),
    page500: yield* client.measure(30, () => list("?limit=500")),
    total: yield* client.measure(60, (index) => list(`?include_total=true${index % 2 === 0 ? "" : "&state=failure"}`)),
    totalOfName: yield* client.measure(60, (index) => list(`?include_total=true&name=${nameOf(index % names)}`)),
    totalOfSearch: yield* client.measure(30, (index) => list(`?include_total=true&search=${sample(index).taskId}`)),
    lastDay: yield* client.measure(
      60,
      (index) => list(`?since=${new Date(end - (index + 1) * 86_400_0).toISOString()}&state=failure`)
    ),
    stateAndQueue: yield* client.measure(30, (index) => list(`?state=revoked&queue=queue-${index % queues}`)),
    noneOfPriority: yield* client.measure(5, () => list("?priority=critical")),
    noneOfStateAndPriority: yield* client.measure(5, () => list("?state=success&priority=critical")),
    noneOfNameAndState: yield* client.measure(5, (index) => list(`?name=${nameOf(index % names)}&state=rejected`)),
    queryStates: yield* client.measure(
      60,
      (index) => path(query(`state:failure,revoked -queue:queue-${index % queues}`))
    ),
    queryName: yield* client.measure(60, (index) => path(query(`name:=${nameOf(index % names)} state:failure`))),
    queryPattern: yield* client.measure(30, (index) => path(query(`name:*_${index % names} -state:success`))),
    queryRuntime: yield* client.measure(30, () => path(query("runtime:>5s"))),
    queryAlternatives: yield* client.measure(
      30,
      (index) => path(query(`(state:failure OR queue:queue-${index % queues}) -worker:celery@worker-${index % 40}`))
    ),
    queryNothing: yield* client.measure(8, (index) => path(query(`state:success runtime:>${100 + index}h`))),
    facets: yield* client.measure(30, () => path("/task-facets")),
    facetsOfQuery: yield* client.measure(
      30,
      (index) => path(`/task-facets?query=${encodeURIComponent(`name:=${nameOf(index % names)} -state:success`)}`)
    ),
    facetsOfState: yield* client.measure(30, () => path("/task-facets?state=failure")),
    searchName: yield* client.measure(60, (index) => list(`?search=TASK_${index % names}`)),
    searchOneTask: yield* client.measure(8, (index) => list(`?search=${sample(index).taskId}`)),
    searchPartOfId: yield* client.measure(8, (index) => list(`?search=${sample(index).taskId.slice(0, 8)}`)),
    searchNothing: yield* client.measure(8, (index) => list(`?search=nothing-like-${index}`)),
    searchNothingInFailures: yield* client.measure(8, (index) => list(`?state=failure&search=nothing-like-${index}`)),
    searchException: yield* client.measure(
      8,
      (index) => list(`?search_exceptions=true&search=${encodeURIComponent(`nothing refused by gateway ${index}`)}`)
    ),
    issues: yield* client.measure(30, () => path("/issues")),
    recentFailures: yield* client.measure(30, () => "/home/recent-failures"),
    homeSummary: yield* client.measure(30, () => "/home/summary"),
    stats: yield* client.measure(30, () => path("/stats")),
    workers: yield* client.measure(30, () => path("/workers")),
    queues: yield* client.measure(30, () => path("/queues"))
  }
  yield* client.close
  const sizes = yield* readSizes(env)
  return { bench: "scale", database, tasks, seedSeconds: seconds, sizes, startSeconds, ...reads }
}))
