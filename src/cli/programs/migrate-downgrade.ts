import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { Migrations } from "../../services/Migrations.ts"
import { inspected } from "../Inspection.ts"
import { revisionOf } from "../Revision.ts"
import { settings } from "../Settings.ts"

/** Only an existing database has a step to undo; opening it for writing would make one. */
const exists = Effect.provide(Migrations, inspected)

export const run = ({ revision }: { readonly revision: string }) =>
  Effect.gen(function*() {
    const target = yield* revisionOf(revision)
    yield* exists
    const step = yield* Effect.flatMap(Migrations, ({ downgrade }) => downgrade(target)).pipe(
      Effect.provide(DatabaseLayer.alone.pipe(Layer.provide(settings())))
    )
    yield* Console.log(`undid ${step.id} ${step.name}`)
    yield* Console.log(`revision: ${target}`)
  })
