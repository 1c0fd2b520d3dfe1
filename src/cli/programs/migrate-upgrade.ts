import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { Migrations } from "../../services/Migrations.ts"
import { Refused } from "../Explain.ts"
import { revisionOf } from "../Revision.ts"
import { settings } from "../Settings.ts"

export const run = ({ target }: { readonly target: string }) =>
  Effect.gen(function*() {
    const { current, head, upgrade } = yield* Migrations
    const revision = target === "head" ? head : yield* revisionOf(target)
    const before = yield* current
    if (revision > head) return yield* new Refused({ usage: true, message: `there is no revision ${revision}: this program's head is ${head}` })
    if (revision < before) {
      return yield* new Refused({ usage: true, message: `the database is at revision ${before}, after ${revision}: svc migrate downgrade goes back` })
    }
    const applied = yield* upgrade(revision)
    for (const { id, name } of applied) yield* Console.log(`applied ${id} ${name}`)
    yield* Console.log(`revision: ${yield* current}${applied.length === 0 ? " (nothing to do)" : ""}`)
  }).pipe(Effect.provide(DatabaseLayer.unmigrated.pipe(Layer.provide(settings()))))
