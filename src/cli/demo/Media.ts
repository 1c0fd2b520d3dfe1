import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schedule, Schema, type Scope } from "effect"
import * as EffectQueue from "../../agent/engines/effect-queue/EffectQueue.ts"
import * as Ids from "../../services/kernel/Ids.ts"
import * as Shop from "./Shop.ts"

/** The shop's second engine: queues in a table of their own, which its agent reports under a name of their own. */
export const engineName = "media-queue"
export const tableName = "media_queue"
/** No worker takes from it: Mara wants to purge it. */
export const abandonedQueue = "newsletter"

const schemas = {
  photos: Schema.TaggedStruct("photo.resize", { article: Schema.Int, width: Schema.Int }),
  catalog: Schema.TaggedStruct("catalog.import_supplier", { supplier: Schema.String }),
  newsletter: Schema.TaggedStruct("newsletter.send", { customer: Schema.Int })
} as const

const widths = [320, 800, 1600] as const
const photoPause = "15 seconds"
const importPause = "10 minutes"
const newsletters = 12

/** Opens the queues until the scope closes. Returns their engine, and `run`, which fills and works them. */
export const openMedia = Effect.gen(function*() {
  const store = yield* Layer.build(
    EffectQueue.layerSql({ tableName, pollInterval: "200 millis", lockExpiration: "10 minutes" })
  )
  const make = <A, I>(options: EffectQueue.QueueOptions<A, I>) => Effect.provide(EffectQueue.make(options), store)
  const photos = yield* make({ name: "photos", schema: schemas.photos, maxAttempts: Shop.maxAttempts })
  const catalog = yield* make({ name: "catalog", schema: schemas.catalog, maxAttempts: 1 })
  const newsletter = yield* make({ name: abandonedQueue, schema: schemas.newsletter })

  const resize = ({ article }: typeof schemas.photos.Type) =>
    Effect.sleep(`${Math.round(400 + Shop.pseudoRandom(article, 30) * 1200)} millis`)
  /** It never succeeds, so the alert about it stays open. */
  const importSupplier = ({ supplier }: typeof schemas.catalog.Type) =>
    Effect.zipRight(
      Effect.sleep("1 second"),
      new Shop.ShopError("SupplierUnreachable", `ftp.${supplier}.example did not answer within 1 second`)
    )

  let article = 0
  const offerPhoto = Effect.suspend(() => {
    article += 1
    return photos.offer({
      _tag: "photo.resize",
      article: 2000 + article % 500,
      width: widths[article % widths.length] ?? 800
    })
  })
  const offerImport = catalog.offer({ _tag: "catalog.import_supplier", supplier: "northwind" })
  const sql = yield* SqlClient.SqlClient
  const offerNewsletters = Effect.gen(function*() {
    const [known] = yield* sql`SELECT 1 FROM ${sql(tableName)} WHERE queue_name = ${abandonedQueue} LIMIT 1`
    if (known !== undefined) return // from an earlier start, waiting or purged
    for (let customer = 0; customer < newsletters; customer++) {
      yield* newsletter.offer({ _tag: "newsletter.send", customer: 1000 + customer }, { id: yield* Ids.next })
    }
  })

  const run: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function*() {
    const loops = [
      photos.run(resize, { concurrency: 2, workerName: "photos" }),
      catalog.run(importSupplier, { workerName: "catalog" }),
      Effect.repeat(Effect.ignoreLogged(offerPhoto), Schedule.spaced(photoPause)),
      Effect.repeat(Effect.ignoreLogged(offerImport), Schedule.spaced(importPause))
    ]
    yield* Effect.ignoreLogged(offerNewsletters)
    for (const loop of loops) yield* Effect.forkScoped(loop)
  })

  return { engine: EffectQueue.engine([photos, catalog, newsletter], { name: engineName }), run } as const
})
