import { SqlClient } from "@effect/sql"
import { Clock, Console, Duration, Effect, Layer, Schedule } from "effect"
import { join } from "node:path"
import * as EffectQueue from "../../agent/engines/effect-queue/EffectQueue.ts"
import * as Agent from "../../agent/runtime/Agent.ts"
import type { ProjectId } from "../../domain/kernel/Id.ts"
import * as Timestamp from "../../domain/kernel/Timestamp.ts"
import * as Sqlite from "../../layers/Sqlite.ts"
import type { SettingsShape } from "../../services/kernel/Settings.ts"
import { Reader } from "../../services/kernel/sql/Database.ts"
import { announce, runServer } from "../operations/ServedBrain.ts"
import { Environment } from "../program/Environment.ts"
import { settings } from "../program/Settings.ts"
import { beginHistory, dayBefore, generateHistory, ingestHistory, insertDeadLetters } from "./History.ts"
import * as Site from "./Home.ts"
import * as Media from "./Media.ts"
import { makeReceiver, type Receiver } from "./Receiver.ts"
import * as Shop from "./Shop.ts"
import { makeShopClock } from "./ShopClock.ts"
import * as Showcase from "./Showcase.ts"

const DAY = Timestamp.secondsPerDay * 1000
/** The most orders a day, so that each start continues with unused numbers. */
const ordersPerDay = 10_000

/** The shop's queues, in a file beside the brain's database. Waiting tasks continue at the next start. */
const makeStoreLayer = (home: string) =>
  EffectQueue.layerSql({ pollInterval: "200 millis", lockExpiration: "10 minutes" }).pipe(
    Layer.provideMerge(Layer.scoped(
      SqlClient.SqlClient,
      Effect.map(Sqlite.makeSqlite(join(home, "shop.db"), () => {}), ({ writer }) => writer) // the metrics of statements are the brain's
    ))
  )

/** The end of the project's recorded history; at most a day back. */
const findHistoryEnd = Effect.fnUntraced(function*(projectId: ProjectId, now: number) {
  const read = yield* Reader
  const [row] = yield* read<
    { last: string | null }
  >`SELECT max(updated_at) AS last FROM tasks WHERE project_id = ${projectId}`
  const last = Timestamp.parse(row?.last ?? "")
  return Math.max(now - DAY, last === undefined ? 0 : Timestamp.toEpochMillis(last))
})

/** Places orders, compares warehouses, and prunes tasks completed over a day ago. */
const runShop = Effect.fnUntraced(
  function*(
    submitTask: (task: Shop.Task) => Effect.Effect<string, unknown>,
    firstOrder: number,
    now: number,
    tables: ReadonlyArray<string>
  ) {
    let order = firstOrder
    let run = 0
    const submit = (task: Shop.Task) =>
      Effect.catchAll(submitTask(task), (error) => Effect.logWarning("an order was lost", error))
    const placeOrder = Effect.gen(function*() {
      yield* submit(Shop.orderOf(order++))
      yield* Effect.sleep(Shop.millisBefore(order, yield* Clock.currentTimeMillis))
    })
    const syncWarehouse = Effect.zipRight(
      Effect.suspend(() => submit(Shop.syncOf(run++))),
      Effect.sleep(Duration.seconds(Shop.syncSeconds))
    )
    const sql = yield* SqlClient.SqlClient
    const pruneCompleted = Effect.forEach(tables, (table) =>
      Effect.ignoreLogged(
        sql`DELETE FROM ${sql(table)} WHERE completed = TRUE AND updated_at < datetime('now', '-1 day')`
      ), { discard: true })
    yield* Effect.forkScoped(Effect.forever(placeOrder))
    yield* Effect.forkScoped(Effect.forever(syncWarehouse))
    yield* Effect.forkScoped(Effect.repeat(pruneCompleted, Schedule.spaced("1 hour")))
    yield* submit({ _tag: "report.nightly_sales", day: dayBefore(now) })
  }
)

const formatWelcome = (site: Site.DemoHome, url: string, envFile: string, receiver: Receiver | null) =>
  [
    "",
    `The demo: a small shop, with its data in ${site.home}.`,
    `  the dashboard ${url}/projects/${Site.shopProject.slug}`,
    `  the API       ${url}/api/v1/docs`,
    `  signing in    ${Site.email}, password ${site.password}`,
    ...(receiver === null ? [] : [
      `  a colleague   ${Showcase.colleagueEmail}, with the same password, who decides what you ask`,
      `  messages      ${receiver.url}, what the shop's channel got`
    ]),
    `  in a shell    . ${envFile}`,
    `                curl -H "Authorization: Bearer $SVC_API_KEY" $SVC_URL/api/v1/projects/shop/tasks`,
    "Ctrl-C stops it, and the next start continues. To start over, delete the folder.",
    ""
  ].join("\n")

const runDemo = (site: Site.DemoHome, receiver: Receiver | null) =>
  Effect.gen(function*() {
    // in the brain's database, before the shop's is provided
    const credentials = yield* Site.createRecords(site, receiver?.url ?? null)
    const { agent_id, colleague_key } = credentials
    if (receiver !== null && colleague_key !== null) {
      yield* Showcase.openShowcase(colleague_key, Site.shopProject.slug, agent_id, receiver.url)
    }
    yield* openShop(site, credentials, receiver).pipe(Effect.provide(makeStoreLayer(site.home)))
  }).pipe(Effect.scoped)

const openShop = (site: Site.DemoHome, credentials: Site.DemoCredentials, receiver: Receiver | null) =>
  Effect.gen(function*() {
    const url = yield* announce
    yield* Console.warn(formatWelcome(site, url, yield* Site.writeEnv(site, credentials, url), receiver))

    const now = yield* Clock.currentTimeMillis
    const historyEnd = yield* findHistoryEnd(credentials.project_id, now)
    const shop = yield* Shop.openShop
    const media = receiver === null ? null : yield* Media.openMedia
    const nextOrder = Math.floor(historyEnd / DAY) * ordersPerDay % 10_000_000 + Math.floor((historyEnd % DAY) / 10_000)
    const { first_order: firstOrder, since } = yield* beginHistory(
      { since: historyEnd, first_order: nextOrder },
      now - 2 * DAY
    )
    const past = generateHistory(since, now, firstOrder)
    yield* ingestHistory(past, { projectId: credentials.project_id, agentId: credentials.agent_id })
    yield* insertDeadLetters(past.dead)

    const clock = makeShopClock(shop.submit, now)
    yield* Agent.make({
      brainUrl: url,
      token: credentials.agent_token,
      hmacSecret: credentials.agent_hmac_secret,
      allowInsecure: true, // the brain is in this process
      home: join(site.home, "agent"),
      name: "shop",
      framework: "demo",
      engines: [{ ...shop.engine, scheduler: clock.scheduler }, ...(media === null ? [] : [media.engine])]
    })
    yield* Effect.forkScoped(clock.run)
    const tables = ["effect_queue", ...(media === null ? [] : [Media.tableName])]
    yield* runShop(shop.submit, firstOrder + past.orders, now, tables)
    yield* shop.runWorkers
    if (media !== null) yield* media.run
    yield* Console.warn(
      `The last day is filled in (${past.orders} orders, ${past.events.length} events), and the shop is open.`
    )
    return yield* Effect.never
  })

/**
 * `svc serve --demo`: a brain and a shop in one process, with their own data. A plain shop has one engine, and nothing that
 * waits for a person: tests of single pages bring what they need themselves.
 */
export const serveDemo = (overrides: Partial<SettingsShape>, { isPlain = false } = {}) =>
  Effect.gen(function*() {
    const environment = yield* Environment
    const site = yield* Site.openHome
    const receiver = isPlain ? null : yield* makeReceiver
    const effective = settings({
      ...overrides,
      workers: 1,
      publicUrl: "", // the shell's value is for another brain, which the shop's agent would call
      ...(receiver !== null && { webhookAllowHttp: true, outboundAllowCidrs: [`127.0.0.1:${receiver.port}`] }),
      ...(environment.SVC_LOG_LEVEL ? {} : { logLevel: "warning" })
    })
    return yield* Effect.provideService(runServer(effective, runDemo(site, receiver)), Environment, {
      ...environment,
      SVC_HOME: site.home
    })
  }).pipe(Effect.scoped)
