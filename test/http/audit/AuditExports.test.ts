import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { ExportJobCreate } from "../../../src/domain/audit/AuditExport.ts"
import { AuditExportRunner } from "../../../src/services/audit/AuditExports/Runner.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../../brain.ts"
import { assertRefused, clientWith } from "../../client.ts"
import { laneEngines } from "../../engines.ts"
import { countChunks, insertExportJob, refuseChunkDeletion } from "../../exportJobs.ts"
import { until } from "../../until.ts"

const hostile = "=HYPERLINK(\"http://evil\")"

/** A request with every term, as the client's type has them. */
const makeRequest = (terms: Partial<ExportJobCreate> & Pick<ExportJobCreate, "format">): ExportJobCreate => ({
  action_prefix: null,
  outcome: null,
  user_id: null,
  target_id: null,
  since: null,
  fields: null,
  ...terms
})

/** A project whose log has some rows, among them one with a formula in a text. */
const world = Effect.gen(function*() {
  const project = yield* freshProject()
  const admin = yield* freshKey({ roles: { [project.id]: "admin" } })
  const client = yield* clientWith(admin)
  for (const name of ["one", hostile, "three"]) {
    yield* client.agents.create({ path: { slug: project.slug }, payload: { name } })
  }
  return { project, admin, client, path: { slug: project.slug } }
})

describe.each(laneEngines)("exports of the audit log in the background on %s", (engine) => {
  layer(serverOn(engine, { auditExportJobMaxRows: 1000 }), { excludeTestServices: true })((it) => {
    const awaitEnd = (
      { client, path }: Effect.Effect.Success<typeof world>,
      job_id: Parameters<typeof client.audit_exports.get>[0]["path"]["job_id"]
    ) =>
      until(
        client.audit_exports.get({ path: { ...path, job_id } }),
        ({ status }) => status === "completed" || status === "failed"
      )

    it.effect("are written in each format, have the list's rows, and are downloaded", () =>
      Effect.gen(function*() {
        const here = yield* world
        const { admin, client, path, project } = here
        for (const format of ["csv", "json", "xlsx"] as const) {
          const created = yield* client.audit_exports.create({
            path,
            payload: makeRequest({
              format,
              action_prefix: "agent.",
              fields: ["action", "metadata", "source_ip", "target_id"]
            })
          })
          assert.deepInclude(created, { format, export_type: "audit", downloadable: false, sink: "database" })
          assert.include(["pending", "running"], created.status)
          const job = yield* awaitEnd(here, created.id)
          assert.deepInclude(job, {
            status: "completed",
            row_count: 3,
            truncated: false,
            error: null,
            downloadable: true
          })
          const file = yield* request("GET", job.location?.replace("/api/v1", "") ?? "", { token: admin.token })
          assert.strictEqual(file.status, 200)
          assert.match(
            String(file.headers.get("content-disposition")),
            new RegExp(`^attachment; filename="audit-.*\\.${format}"$`)
          )
          if (format === "json") {
            const rows: ReadonlyArray<Record<string, unknown>> = JSON.parse(file.text)
            assert.deepStrictEqual(rows.map(({ action }) => action), Array(3).fill("agent.created"))
            assert.deepStrictEqual(rows.map(({ source_ip }) => source_ip), [null, null, null])
            assert.strictEqual(Buffer.byteLength(file.text), job.size_bytes)
          }
          if (format === "csv") {
            assert.match(file.text, /^"action","metadata","source_ip","target_id"\r\n("agent\.created",.*\r\n){3}$/)
          }
        }
        const { items } = yield* client.audit_exports.list({ path, urlParams: { limit: 2 } })
        assert.deepStrictEqual(
          items.map(({ format }) => format),
          ["xlsx", "json"]
        )
        const log = yield* client.audit.list({ path, urlParams: { action_prefix: "audit.export" } })
        assert.deepStrictEqual(
          log.items.map(({ action }) => action),
          Array(3).fill(["audit.export_downloaded", "audit.export_created"]).flat()
        )
        assert.strictEqual(log.items[0]?.project_id, project.id)
      }))

    it.effect("are refused as downloads before they end; another project's are not found", () =>
      Effect.gen(function*() {
        const { client, path, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const job = yield* client.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) })
        yield* until(client.audit_exports.get({ path: { ...path, job_id: job.id } }), (now) => now.downloadable)
        yield* sql`UPDATE export_jobs SET status = 'failed' WHERE id = ${job.id}`
        yield* assertRefused(
          client.audit_exports.download({ path: { ...path, job_id: job.id } }),
          "export_job_not_completed"
        )
        const other = yield* freshProject()
        const stranger = yield* clientWith(yield* freshKey({ roles: { [other.id]: "admin" } }))
        const there = { slug: other.slug, job_id: job.id }
        yield* assertRefused(stranger.audit_exports.get({ path: there }), "not_found")
        yield* assertRefused(stranger.audit_exports.download({ path: there }), "not_found")
        const viewer = yield* clientWith(yield* freshKey({ roles: { [project.id]: "viewer" } }))
        yield* assertRefused(
          viewer.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) }),
          "forbidden"
        )
      }))

    it.effect("are deleted by their creator, or an admin of the project", () =>
      Effect.gen(function*() {
        const { client, path, project } = yield* world
        const auditor = yield* clientWith(yield* freshKey({ roles: { [project.id]: "auditor" } }))
        const create = (by: typeof client) => by.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) })
        const remove = (by: typeof client, job_id: (typeof ours)["id"]) =>
          by.audit_exports.remove({ path: { ...path, job_id } })
        const ours = yield* create(client)
        const theirs = yield* create(auditor)
        yield* assertRefused(remove(auditor, ours.id), "forbidden")
        yield* remove(auditor, theirs.id)
        yield* assertRefused(remove(auditor, theirs.id), "not_found")
        yield* remove(client, ours.id)
        assert.deepStrictEqual((yield* client.audit_exports.list({ path, urlParams: {} })).items, [])
      }))

    it.effect("begin again after their process died, and end after three such attempts", () =>
      Effect.gen(function*() {
        const here = yield* world
        const { admin, client, path, project } = here
        const id = yield* insertExportJob(project.id, { chunks: ["half of"], action_prefix: "agent." })
        assert.deepInclude(yield* awaitEnd(here, id), { status: "completed", row_count: 3 })
        const file = yield* request("GET", `/projects/${project.slug}/audit/export-jobs/${id}/download`, {
          token: admin.token
        })
        assert.lengthOf(JSON.parse(file.text), 3)
        const last = yield* insertExportJob(project.id, { chunks: ["half of"], attempts: 3 })
        const failed = yield* awaitEnd(here, last)
        assert.deepInclude(failed, { status: "failed", downloadable: false, size_bytes: null })
        assert.include(failed.error, "ended 3 times")
        yield* assertRefused(
          client.audit_exports.download({ path: { ...path, job_id: last } }),
          "export_job_not_completed"
        )
      }))

    it.effect("break the download when a part of the file is missing, wherever it is", () =>
      Effect.gen(function*() {
        const { admin, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const base = yield* baseUrl
        const chunks = ["[{\"a\":1},", "{\"a\":2},", "{\"a\":3}]"]
        const download = (id: string) =>
          Effect.tryPromise(async () => {
            const response = await fetch(
              `${base}/api/v1/projects/${project.slug}/audit/export-jobs/${id}/download`,
              { headers: { authorization: `Bearer ${admin.token}` } }
            )
            return response.text()
          })
        const whole = yield* insertExportJob(project.id, { chunks, status: "completed" })
        assert.strictEqual(yield* download(whole), chunks.join(""))
        for (const position of chunks.keys()) {
          const id = yield* insertExportJob(project.id, { chunks, status: "completed" })
          yield* sql`DELETE FROM export_job_chunks WHERE job_id = ${id} AND position = ${position}`
          assert.isTrue(Exit.isFailure(yield* Effect.exit(download(id))), `without chunk ${position}`)
        }
      }))

    it.effect("are deleted before their project, in batches of 16 chunks", () =>
      Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ isAdmin: true })
        const chunks = Array.from({ length: 40 }, (_, n) => `chunk ${n}`)
        const id = yield* insertExportJob(project.id, { chunks, status: "completed" })
        const remove = Effect.map(request("DELETE", `/projects/${project.slug}`, { token }), ({ status }) => status)
        const refused = yield* Effect.scoped(Effect.zipRight(refuseChunkDeletion(id, 20), remove))
        assert.strictEqual(refused, 500)
        assert.strictEqual(yield* countChunks(id), 24)
        assert.strictEqual(yield* remove, 204)
        assert.strictEqual(yield* countChunks(id), 0)
      }))

    it.effect("are at most five at a time, and deleted after their retention", () =>
      Effect.gen(function*() {
        const { client, path, project } = yield* world
        const sql = yield* SqlClient.SqlClient
        const job = yield* client.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) })
        yield* until(client.audit_exports.get({ path: { ...path, job_id: job.id } }), (now) => now.downloadable)
        // another replica's leader holds them
        yield* sql`INSERT INTO leases (name, holder, expires_at) VALUES ('audit exports', 'another', ${
          Date.now() + 14_000
        })
          ON CONFLICT (name) DO UPDATE SET expires_at = ${Date.now() + 14_000}`
        for (let n = 0; n < 5; n++) {
          yield* client.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) })
        }
        yield* assertRefused(
          client.audit_exports.create({ path, payload: makeRequest({ format: "csv" }) }),
          "too_many_export_jobs"
        )
        yield* sql`DELETE FROM leases WHERE name = 'audit exports'`
        const list = client.audit_exports.list({ path, urlParams: {} })
        yield* until(list, ({ items }) => items.every(({ status }) => status === "completed"))
        const chunks = sql<
          { n: number }
        >`SELECT count(*) AS n FROM export_job_chunks c JOIN export_jobs j ON j.id = c.job_id
          WHERE j.project_id = ${project.id}`
        assert.strictEqual((yield* chunks)[0]?.n, 6)
        yield* sql`UPDATE export_jobs SET completed_at = '2020-01-01T00:00:00.000000Z' WHERE project_id = ${project.id}`
        yield* Effect.provide(Effect.flatMap(AuditExportRunner, ({ prune }) => prune), AuditExportRunner.layer)
        assert.deepStrictEqual((yield* list).items, [])
        assert.strictEqual((yield* chunks)[0]?.n, 0)
      }))
  })
})
