import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import type { ExportFormat } from "../domain/kernel/Query.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { CurrentProject } from "../services/kernel/CurrentActor.ts"
import type { ExportFile } from "../services/kernel/Export/Formats.ts"

const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8; header=present",
  json: "application/json",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}

/** `tasks-<slug>-20260131T120000Z.csv`: a slug has no character that needs quoting. */
const fileName = (what: string, slug: string, now: Timestamp.Timestamp, format: ExportFormat): string =>
  `${what}-${slug}-${now.slice(0, 19).replace(/[-:]/g, "")}Z.${format}`

/** Responds with the file as an attachment; `what` is the first part of its name. */
export const respondWithFile = Effect.fnUntraced(function*(what: string, { body, format, truncated }: ExportFile) {
  const { slug } = yield* CurrentProject
  const name = fileName(what, slug, yield* Timestamp.now, format)
  return HttpServerResponse.stream(body, {
    contentType: contentTypes[format],
    headers: {
      "content-disposition": `attachment; filename="${name}"`,
      ...(truncated ? { "x-svc-truncated": "true" } : {})
    }
  })
})
