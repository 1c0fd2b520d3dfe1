import { Effect } from "effect"
import { encodeCursor } from "../src/domain/kernel/Page.ts"
import { type Call, signedIn } from "../test/e2e/brainProcess.ts"
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

const searchableName = nameOf(0)

/** Puts the values at `kwargs.customer_id` of one name into the index: seconds until those of all its tasks are there. */
const makeSearchable = (call: Call) =>
  Effect.gen(function*() {
    const begun = performance.now()
    // a database that was kept has it already
    yield* call("POST", path("/searchable-paths"), {
      task_name: searchableName,
      path: "kwargs.customer_id"
    })
    const isReady = Effect.map(
      call("GET", path("/searchable-paths")),
      ({ json }) => json[0].status === "ready"
    )
    yield* Effect.repeat(Effect.delay(isReady, "200 millis"), { until: (ready) => ready })
    return Number(((performance.now() - begun) / 1000).toFixed(1))
  })

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

  const fillSeconds = yield* makeSearchable((yield* signedIn(brain))(brain))
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
    queues: yield* client.measure(30, () => path("/queues")),
    nameDetail: yield* client.measure(30, (index) => path(`/task-names/${nameOf(index)}?window=30d`)),
    nameTrend: yield* client.measure(30, (index) => path(`/trends?window=7d&bucket=1h&name=${nameOf(index)}`)),
    nameRuns: yield* client.measure(30, (index) => list(`?name=${nameOf(index)}&limit=50`)),
    taskNames: yield* client.measure(10, () => path("/task-names?window=24h")),
    trendsByName: yield* client.measure(10, () => path("/trends?window=24h&bucket=1h&by=name")),
    trendsByWorker: yield* client.measure(10, () => path("/trends?window=24h&bucket=1h&by=worker")),
    trendsLastWeek: yield* client.measure(30, () => path("/trends?window=24h&bucket=15m&days_ago=2")),
    heatmap: yield* client.measure(10, () => path("/trends?window=30d&bucket=1h")),
    marksOfDay: yield* client.measure(30, () => path("/marks")),
    marksOfMonth: yield* client.measure(10, () => path(`/marks?from=${new Date(end - 30 * 86_400_000).toISOString()}`)),
    deploys: yield* client.measure(30, () => path("/deploys")),
    issuesOfHour: yield* client.measure(30, () => path("/issues?hours=1")),
    issuesSearch: yield* client.measure(30, () => path("/issues?search=gateway&sort=count")),
    activity: yield* client.measure(30, () => "/activity"),
    activityOfPeople: yield* client.measure(30, () => "/activity?by=people"),
    runningTasks: yield* client.measure(30, () => path("/running-tasks")),
    uptime: yield* client.measure(30, () => path("/agents/uptime")),
    differencesOfName: yield* client.measure(10, (index) => path(`/task-differences?name=${nameOf(index)}`)),
    differencesOfTask: yield* client.measure(10, (index) => list(`/celery/${sample(index).taskId}/differences`)),
    valueScan: yield* client.measure(8, (index) => path(query(`kwargs.customer_id:${index * 1000}`))),
    valueIndexed: yield* client.measure(
      60,
      (index) => path(query(`name:=${searchableName} kwargs.customer_id:${index * 1000}`))
    )
  }
  yield* client.close
  const sizes = yield* readSizes(env)
  return { bench: "scale", database, tasks, seedSeconds: seconds, fillSeconds, sizes, startSeconds, ...reads }
}))
