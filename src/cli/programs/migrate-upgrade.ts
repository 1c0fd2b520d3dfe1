import { Console, Effect, Layer } from "effect"
import * as DatabaseLayer from "../../layers/Database.ts"
import { Migrations } from "../../services/Migrations.ts"
import { Refused } from "../Explain.ts"
import { parseRevision } from "../Revision.ts"
import { settings } from "../Settings.ts"

/** The revision that was named, which must be one that an upgrade can reach. */
const parseRevisionAhead = (target: string, current: number, head: number) =>
  Effect.gen(function*() {
    const revision = yield* parseRevision(target)
    if (revision > head) return yield* new Refused({ usage: true, message: `there is no revision ${revision}: this program's head is ${head}` })
    if (revision < current) {
      return yield* new Refused({ usage: true, message: `the database is at revision ${current} already: svc migrate downgrade goes back to ${revision}` })
    }
    return revision
  })

export const run = ({ target }: { readonly target: string }) =>
  Effect.gen(function*() {
    const { current, head, upgrade } = yield* Migrations
    const applied = yield* upgrade(target === "head" ? head : yield* parseRevisionAhead(target, yield* current, head))
    for (const { id, name } of applied) yield* Console.log(`applied ${id} ${name}`)
    yield* Console.log(`revision: ${yield* current}${applied.length === 0 ? " (nothing to do)" : ""}`)
  }).pipe(Effect.provide(DatabaseLayer.layerUnmigrated.pipe(Layer.provide(settings()))))
