import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { system } from "../src/domain/kernel/Actor.ts"
import { ProjectId } from "../src/domain/kernel/Id.ts"
import * as SettingsLayer from "../src/layers/Settings.ts"
import { Audit } from "../src/services/audit/Audit.ts"
import { adminKey } from "../test/e2e/brainProcess.ts"
import { memoryOf } from "../test/e2e/memory.ts"
import { auditLog } from "../test/services/audit/layer.ts"
import { until } from "../test/until.ts"
import { measureBareExport } from "./audit-exports/bare.ts"
import { builtProgram, runningBrain } from "./brain.ts"
import { databaseAndNumbersOf, report } from "./run.ts"

/**
 * An export in the background of a log with so many rows, as csv: rows a second from its begin to its end, beside the
 * driver alone (`share`); then its download, in bytes that the client discards. Memory is what the brain's process holds
 * at most, in MB: before, while it writes, while it sends.
 * Prints one line of JSON. `npx vite-node bench/audit-exports.ts sqlite|postgresql [rows=300000]`
 */
const { database, rows } = databaseAndNumbersOf("audit-exports", { rows: 300_000 })
const batch = 5000

const appendRows = (project_id: ProjectId) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const audit = yield* Audit
    for (let n = 0; n < rows; n += batch) {
      yield* sql.withTransaction(audit.recordAll(
        Array.from({ length: Math.min(batch, rows - n) }, (_, at) => ({
          actor: system("bench"),
          entry: {
            action: "task.failed",
            target_type: "task",
            target_id: `celery/${n + at}`,
            project_id,
            metadata: {
              name: "shop.checkout",
              queue: "default",
              worker: "celery@worker-1",
              exception: `ValueError: no such customer ${n + at}`
            }
          }
        }))
      ))
    }
  })

const download = (url: string, token: string) =>
  Effect.promise(async () => {
    const begun = performance.now()
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    let bytes = 0
    for await (const chunk of response.body ?? []) bytes += chunk.length
    return { bytes, seconds: (performance.now() - begun) / 1000 }
  })

const megabytes = (bytes: number) => Math.round(bytes / 1e6)

report(Effect.gen(function*() {
  const { brain, call, site } = yield* runningBrain(yield* builtProgram, database, 0)
  const { json: project } = yield* call("GET", "/projects/bench")
  yield* brain.stop
  yield* appendRows(ProjectId.make(project.id)).pipe(
    Effect.provide(auditLog.pipe(Layer.provide(SettingsLayer.layer(site.env)), Layer.provide(NodeContext.layer)))
  )
  const bareSeconds = yield* measureBareExport(site.env, project.id)
  yield* brain.start
  const token = yield* adminKey(brain)

  const before = (yield* memoryOf(brain)).held
  const atRest = yield* until(Effect.sync(before), (held) => held > 0)
  const exporting = yield* memoryOf(brain)
  const { json: created } = yield* call("POST", "/projects/bench/audit/export-jobs", { format: "csv" })
  const path = `/projects/bench/audit/export-jobs/${created.id}`
  const { json: job } = yield* until(call("GET", path), ({ json }) => json.completed_at !== null, "30 minutes")
  if (job.status !== "completed" || job.row_count < rows) throw new Error(JSON.stringify(job))
  const whileWriting = exporting.held()
  const sending = yield* memoryOf(brain)
  const { bytes, seconds } = yield* download(`${brain.url}/api/v1${path}/download`, token)
  if (bytes !== job.size_bytes) throw new Error(`${bytes} of ${job.size_bytes} bytes`)
  const jobSeconds = (Date.parse(job.completed_at) - Date.parse(job.started_at)) / 1000
  return {
    bench: "audit-exports",
    database,
    rows,
    fileMegabytes: megabytes(bytes),
    rowsPerSecond: Math.round(job.row_count / jobSeconds),
    barePerSecond: Math.round(job.row_count / bareSeconds),
    share: Number((bareSeconds / jobSeconds).toFixed(2)),
    downloadMegabytesPerSecond: megabytes(bytes / seconds),
    heldMegabytes: { before: megabytes(atRest), writing: megabytes(whileWriting), sending: megabytes(sending.held()) }
  }
}))
