import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { Migrations } from "../../services/Migrations.ts"
import { revisionOf } from "../Revision.ts"
import { settings } from "../Settings.ts"

export const run = ({ target }: { readonly target: string }) =>
  Effect.gen(function*() {
    const { current, head, upgrade } = yield* Migrations
    const applied = yield* upgrade(target === "head" ? head : yield* revisionOf(target))
    for (const { id, name } of applied) yield* Console.log(`applied ${id} ${name}`)
    yield* Console.log(`revision: ${yield* current}${applied.length === 0 ? " (nothing to do)" : ""}`)
  }).pipe(Effect.provide(DatabaseLayer.unmigrated.pipe(Layer.provide(settings()))))
