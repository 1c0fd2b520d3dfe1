import { Effect } from "effect"
import type { TaskNames, Trends } from "../../../domain/tasks/Rollup/Trends.ts"
import { Rollups } from "../../../services/tasks/Rollups.ts"
import { Stats } from "../../../services/tasks/Stats.ts"
import { implementGroup } from "../../ImplementGroup.ts"
import { respondWithJsonText } from "../../JsonText.ts"

/** As text: the schema takes longer to encode a thousand buckets than the database to read them. */
const respondWith = <E, R>(result: Effect.Effect<TaskNames | Trends, E, R>) =>
  Effect.map(result, (body) => respondWithJsonText(JSON.stringify(body)))

export const layer = implementGroup("trends", function*(handlers) {
  const rollups = yield* Rollups
  const stats = yield* Stats
  return handlers
    .handle("stats", ({ urlParams }) => stats.get(urlParams))
    .handle("name", ({ path, urlParams }) => rollups.getName(path.name, urlParams))
    .handle("slo", ({ urlParams }) => rollups.getBurnRates(urlParams))
    .handleRaw("trends", ({ urlParams }) => respondWith(rollups.listTrends(urlParams)))
    .handleRaw("names", ({ urlParams }) => respondWith(rollups.listNames(urlParams)))
})
