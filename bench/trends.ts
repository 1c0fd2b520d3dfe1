import { Effect } from "effect"
import { builtProgram, runningBrain } from "./brain.ts"
import { clientOf } from "./list/client.ts"
import { databaseAndNumbersOf, report } from "./run.ts"
import { measureBareRows } from "./trends/bare.ts"
import { nameAt, seed } from "./trends/seed.ts"

/**
 * How long charts and numbers of a project take over HTTP with the rollups of 30 days: milliseconds, p50 and p99;
 * `bareRows` is the rows of the chart of a day by the driver alone.
 * `npx vite-node bench/trends.ts sqlite|postgresql [tasks=10000000] [names=300]`
 */
const { database, names, tasks } = databaseAndNumbersOf("trends", { tasks: 10_000_000, names: 300 })

const requests = 300

report(Effect.gen(function*() {
  const { brain, call, site } = yield* runningBrain(yield* builtProgram, database, 0)
  const { json: project } = yield* call("GET", "/projects/bench")
  const seeded = yield* seed(site.env, project.id, tasks, names)
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
    stats: yield* measure("/stats")
  }
  yield* client.close
  return { bench: "trends", database, tasks, names, rollups: seeded.rows, ...reads }
}))
