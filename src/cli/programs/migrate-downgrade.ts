import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { Migrations } from "../../services/Migrations.ts"
import { layerInspection } from "../Inspection.ts"
import { parseRevision } from "../Revision.ts"
import { settings } from "../Settings.ts"

/** Only an existing database has a step to undo; opening it for writing would make one. */
const requireDatabase = Effect.provide(Migrations, layerInspection)

export const run = ({ revision }: { readonly revision: string }) =>
  Effect.gen(function*() {
    const target = yield* parseRevision(revision)
    yield* requireDatabase
    const step = yield* Effect.flatMap(Migrations, ({ downgrade }) => downgrade(target)).pipe(
      Effect.provide(DatabaseLayer.layerExclusive.pipe(Layer.provide(settings())))
    )
    yield* Console.log(`undid ${step.id} ${step.name}`)
    yield* Console.log(`revision: ${target}`)
  })
