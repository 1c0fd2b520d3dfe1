import { Effect, Layer, Stream } from "effect"
import { Metrics } from "../services/kernel/Metrics.ts"
import { Hints } from "../services/kernel/sql/Database.ts"
import { Restore } from "../services/operations/Restore.ts"
import * as AuditLog from "./AuditLog.ts"
import * as Catalog from "./Catalog.ts"
import * as Keys from "./Keys.ts"

/** No brain runs that would take a hint. */
const layerNoHints = Layer.succeed(Hints, { publish: () => Effect.void, subscribe: () => Stream.empty })

/** Restores an archive over the unmigrated database. */
export const layerOf = (restore: typeof Restore.layer) =>
  restore.pipe(
    Layer.provideMerge(AuditLog.layerWithoutKeys),
    Layer.provideMerge(Layer.mergeAll(Keys.layerUnregistered, Metrics.layer, Catalog.layer, layerNoHints))
  )

export const layer = layerOf(Restore.layer)
