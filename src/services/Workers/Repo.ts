import { Effect, Option, Schema } from "effect"
import { Worker, WorkerDetail } from "../../domain/Worker.ts"
import { Reader } from "../Database.ts"
import { Json } from "../Row.ts"

const stored = {
  queues: Json(Schema.Array(Schema.String)),
  load_average: Schema.NullOr(Json(Schema.Array(Schema.Number)))
}
const decodeWorker = Schema.decodeUnknownSync(Schema.Struct({ ...Worker.fields, ...stored }))
const decodeDetail = Schema.decodeUnknownSync(
  Schema.Struct({ ...WorkerDetail.fields, ...stored, metadata: Json(WorkerDetail.fields.metadata) })
)

export class WorkersRepo extends Effect.Service<WorkersRepo>()("svc/WorkersRepo", {
  effect: Effect.gen(function*() {
    const read = yield* Reader
    return {
      list: (projectId: string) =>
        Effect.map(read`SELECT * FROM workers WHERE project_id = ${projectId} ORDER BY id DESC`, (rows) =>
          rows.map((row) => decodeWorker(row))),
      byId: (projectId: string, id: string) =>
        Effect.map(read`SELECT * FROM workers WHERE project_id = ${projectId} AND id = ${id}`, ([row]) =>
          Option.map(Option.fromNullable(row), (row) => decodeDetail(row)))
    } as const
  })
}) {
  static readonly layer = this.Default
}
