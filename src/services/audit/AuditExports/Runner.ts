import { Effect, Layer, Schema } from "effect"
import type { ActivityItem } from "../../../domain/audit/Activity.ts"
import { Xlsx } from "../../kernel/Export/Xlsx.ts"
import { Settings } from "../../kernel/Settings.ts"
import { StoredFilters } from "../AuditExports.ts"
import { AuditExport } from "../Export.ts"
import { auditExports } from "../ExportJobs/Kinds.ts"
import type { JobRow } from "../ExportJobs/Row.ts"
import { makeExportRunner, runExports } from "../ExportJobs/Runner.ts"
import { type AuditLogRow, AuditRows } from "../Rows.ts"
import { AuditSearch, itemOf } from "../Search.ts"

const decodeFilters = Schema.decodeUnknown(StoredFilters)

/** As the creator saw rows at the request: addresses are for global admins. */
const viewOf = ({ shows_hidden }: JobRow) => (row: AuditLogRow): ActivityItem => ({
  ...itemOf({ kind: "system", name: auditExports.leaseName })(row),
  ...(shows_hidden === 0 && { source_ip: null })
})

/** Writes the files of exports of the audit log, and deletes old ones. */
export class AuditExportRunner extends Effect.Service<AuditExportRunner>()("svc/AuditExportRunner", {
  effect: Effect.gen(function*() {
    const search = yield* AuditSearch
    const auditRows = yield* AuditRows
    const auditExport = yield* AuditExport
    const settings = yield* Settings

    const makeFile = Effect.fnUntraced(function*(job: JobRow) {
      const filters = yield* decodeFilters(job.filters)
      const { action_prefix = "", fields, outcome = null, since, target_id = null, user_id = null } = filters
      const after = since === undefined ? null : yield* auditRows.findLastBefore(since)
      return yield* auditExport.makeFile(
        search.all({ project_id: job.project_id, action_prefix, outcome, user_id, target_id, after }),
        viewOf(job),
        job.format,
        fields === undefined ? null : fields.join(","),
        settings.auditExportJobMaxRows
      )
    })

    return yield* makeExportRunner(auditExports, makeFile)
  })
}) {
  static readonly layer = this.Default.pipe(
    Layer.provide([AuditExport.layer, AuditSearch.layer]),
    Layer.provide([AuditRows.layer, Xlsx.layer])
  )

  static readonly layerLoop = runExports(auditExports, this).pipe(Layer.provide(this.layer))
}
