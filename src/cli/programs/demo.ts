import { SqlClient } from "@effect/sql"
import { Clock, Console, Effect, Layer, Option, Schedule } from "effect"
import { join } from "node:path"
import * as EffectQueue from "../../agents/engines/effect-queue/EffectQueue.ts"
import * as Agent from "../../agents/runtime/Agent.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Reader } from "../../services/Database.ts"
import * as Sqlite from "../../layers/Sqlite.ts"
import { begin, bury, dayBefore, fill, pastOf } from "../demo/History.ts"
import * as Shop from "../demo/Shop.ts"
import * as Site from "../demo/Site.ts"
import { Environment } from "../Environment.ts"
import { announce, serve } from "../Serving.ts"
import { settings } from "../Settings.ts"
import { type Options, overridesOf } from "./serve.ts"

const DAY = 86_400_000
/** Orders a day at most, so that each start goes on with numbers of its own. */
const ordersPerDay = 10_000

/** The shop's queues, in a file beside the brain's: what waits when the demo stops goes on at its next start. */
const store = (home: string) =>
  EffectQueue.layerSql({ pollInterval: "200 millis", lockExpiration: "10 minutes" }).pipe(
    Layer.provideMerge(Layer.scoped(
      SqlClient.SqlClient,
      Effect.map(Sqlite.make(join(home, "shop.db"), () => {}), ({ writer }) => writer) // the metrics are the brain's
    ))
  )

/** Up to when this project has a history; at most a day back. */
const lastKnown = Effect.fnUntraced(function*(projectId: string, now: number) {
  const read = yield* Reader
  const [row] = yield* read<{ last: string | null }>`SELECT max(updated_at) AS last FROM tasks WHERE project_id = ${projectId}`
  const last = Timestamp.parse(row?.last ?? "")
  return Math.max(now - DAY, last === undefined ? 0 : Timestamp.toEpochMillis(last))
})

/** Customers order, warehouses are compared, and what is long done is forgotten. */
const bustle = Effect.fnUntraced(function*(give: (task: Shop.Task) => Effect.Effect<string, unknown>, firstOrder: number, now: number) {
  let order = firstOrder
  let run = 0
  const giving = (task: Shop.Task) => Effect.catchAll(give(task), (error) => Effect.logWarning("an order was lost", error))
  const ordering = Effect.suspend(() => giving(Shop.orderOf(order++))).pipe(
    Effect.zipRight(Effect.suspend(() => Effect.sleep(`${1500 + Math.round(Shop.luck(order, 23) * 3000)} millis`)))
  )
  const comparing = Effect.zipRight(Effect.suspend(() => giving(Shop.syncOf(run++))), Effect.sleep("20 seconds"))
  const sql = yield* SqlClient.SqlClient
  const forgetting = Effect.ignoreLogged(sql`DELETE FROM effect_queue WHERE completed = TRUE AND updated_at < datetime('now', '-1 day')`)
  yield* Effect.forkScoped(Effect.forever(ordering))
  yield* Effect.forkScoped(Effect.forever(comparing))
  yield* Effect.forkScoped(Effect.repeat(forgetting, Schedule.spaced("1 hour")))
  yield* giving({ _tag: "report.nightly_sales", day: dayBefore(now) })
})

const shown = (site: Site.Site, url: string, envFile: string) =>
  [
    "",
    `The demo: a small shop, and all that is known of it, in ${site.home}.`,
    `  the API       ${url}/api/v1/docs`,
    `  signing in    ${Site.email}, password ${site.password}`,
    `  in a shell    . ${envFile}`,
    `                curl -H "Authorization: Bearer $SVC_API_KEY" $SVC_URL/api/v1/projects/shop/tasks`,
    "Ctrl-C ends it; the next start goes on. To begin anew, delete the folder.",
    ""
  ].join("\n")

const show = (site: Site.Site) =>
  Effect.gen(function*() {
    const made = yield* Site.furnish(site)
    const url = yield* announce
    yield* Console.warn(shown(site, url, yield* Site.writeEnv(site, made, url)))

    const now = yield* Clock.currentTimeMillis
    const known = yield* lastKnown(made.project_id, now)
    const shop = yield* Shop.open
    const numbered = Math.floor(known / DAY) * ordersPerDay % 10_000_000 + Math.floor((known % DAY) / 10_000)
    const { first_order: firstOrder, since } = yield* begin({ since: known, first_order: numbered }, now - 2 * DAY)
    const past = pastOf(since, now, firstOrder)
    yield* fill(past, { projectId: made.project_id, agentId: made.agent_id })
    yield* bury(past.dead)

    yield* Agent.make({
      brainUrl: url,
      token: made.agent_token,
      hmacSecret: made.agent_hmac_secret,
      allowInsecure: true, // the brain is in this process
      home: join(site.home, "agent"),
      name: "shop",
      framework: "demo",
      engines: [shop.engine]
    })
    yield* bustle(shop.give, firstOrder + past.orders, now)
    yield* shop.work
    yield* Console.warn(`The last day is filled in (${past.orders} orders, ${past.events.length} events), and the shop is open.`)
    return yield* Effect.never
  }).pipe(Effect.scoped, Effect.provide(store(site.home)))

/** `svc serve --demo`: the brain and a shop that it watches, in one process, on data of their own. */
export const run = (options: Options) =>
  Effect.gen(function*() {
    const environment = yield* Environment
    const site = yield* Site.claim
    const effective = settings({
      ...overridesOf({ ...options, workers: Option.some(1) }),
      publicUrl: "", // that of the shell is another brain's, and the shop's agent would call it
      ...(environment.SVC_LOG_LEVEL ? {} : { logLevel: "warning" })
    })
    return yield* Effect.provideService(serve(effective, show(site)), Environment, { ...environment, SVC_HOME: site.home })
  })
