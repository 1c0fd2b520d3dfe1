import { Effect } from "effect"
import { builtProgram, runningBrain } from "./brain.ts"
import { clientOf } from "./list/client.ts"
import { seedTasks } from "./list/seed.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { databaseOf } from "./services.ts"
import { measureBareRows } from "./trends/bare.ts"
import { nameAt, seed } from "./trends/seed.ts"

/**
 * How long charts and numbers of a project take over HTTP with the rollups of 30 days: milliseconds, p50 and p99;
 * `bareRows` is the rows of the chart of a day by the driver alone. The brain also has `stored` tasks, for the page of
 * all projects.
 * `npx vite-node bench/trends.ts sqlite|postgresql [tasks=10000000] [names=300] [stored=1000000]`
 */
const { database, names, stored, tasks } = databaseAndNumbersOf("trends", {
  tasks: 10_000_000,
  names: 300,
  stored: 1_000_000
})

const requests = 300

report(Effect.gen(function*() {
  const { brain, call, site } = yield* runningBrain(yield* builtProgram, database, 0)
  const { json: project } = yield* call("GET", "/projects/bench")
  const seeded = yield* seed(site.env, project.id, tasks, names)
  yield* seedTasks(project.id, stored).pipe(Effect.provide(databaseOf(site.env)))
  const client = clientOf(brain.url, seeded.token)
  const measure = (path: string, count = requests) => client.measure(count, () => `/projects/bench${path}`)
  const { total_count } = JSON.parse(yield* client.ask("/projects/bench/task-names?limit=1"))
  if (total_count !== names) throw new Error(`${total_count} names`)
  const reads = {
    bareRows: yield* measureBareRows(site.env, project.id, requests),
    trendsDay: yield* measure("/trends"),
    trendsDayByMinute: yield* measure("/trends?window=24h&bucket=1m"),
    trendsThreeDaysBy5Minutes: yield* measure("/trends?window=72h&bucket=5m"),
    trendsWeekByHour: yield* measure("/trends?window=7d&bucket=1h"),
    trendsOfName: yield* client.measure(
      requests,
      (index) => `/projects/bench/trends?window=7d&name=${nameAt(index % names)}`
    ),
    oneName: yield* client.measure(
      requests,
      (index) => `/projects/bench/task-names?window=7d&search=${nameAt(index % names)}`
    ),
    namesHour: yield* measure("/task-names?window=1h"),
    namesDay: yield* measure("/task-names?window=24h"),
    namesWeek: yield* measure("/task-names?window=7d"),
    namesMonth: yield* measure("/task-names?window=30d"),
    namesDayByP95: yield* measure("/task-names?window=24h&sort=p95"),
    namesMonthByP95: yield* measure("/task-names?window=30d&sort=p95"),
    stats: yield* measure("/stats"),
    homeSummary: yield* client.measure(requests, () => "/home/summary"),
    homeFailures: yield* client.measure(requests, () => "/home/recent-failures")
  }
  yield* client.close
  return { bench: "trends", database, tasks, names, stored, rollups: seeded.rows, ...reads }
}))
