import { Effect, Layer, Option } from "effect"
import { NotFound } from "../domain/Errors.ts"
import type { WorkerId } from "../domain/Id.ts"
import { CurrentProject } from "./CurrentActor.ts"
import { orDieOnSql } from "./Database.ts"
import { decodeStart, pageOf, type RowsQuery } from "./RowPage.ts"
import { WorkersRepo } from "./Workers/Repo.ts"

/** The engines' own workers, as heartbeats and events describe them; the source of `worker_name` values. */
export class Workers extends Effect.Service<Workers>()("svc/Workers", {
  effect: Effect.gen(function*() {
    const repo = yield* WorkersRepo

    /** Workers of the project, newest first. */
    const list = Effect.fn("Workers.list")(function*(query: RowsQuery) {
      const start = yield* decodeStart("workers", query)
      return pageOf("workers", query, yield* repo.list((yield* CurrentProject).id, start, query.limit + 1))
    }, orDieOnSql)

    const get = Effect.fn("Workers.get")(function*(id: WorkerId) {
      const found = yield* repo.findById((yield* CurrentProject).id, id)
      return yield* Option.match(found, { onNone: () => new NotFound({ resource: "worker" }), onSome: Effect.succeed })
    }, orDieOnSql)

    return { list, get } as const
  })
}) {
  static readonly layer = this.Default.pipe(Layer.provide(WorkersRepo.layer))
}
