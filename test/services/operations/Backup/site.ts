import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Redacted } from "effect"
import { cpSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { headRevision } from "../../../../migrations/MigrationList.ts"
import { findSigner } from "../../../../src/layers/AuditKeys.ts"
import * as AuditLog from "../../../../src/layers/AuditLog.ts"
import * as CatalogLayer from "../../../../src/layers/Catalog.ts"
import * as DatabaseLayer from "../../../../src/layers/Database.ts"
import * as RestoreLayer from "../../../../src/layers/Restore.ts"
import * as SettingsLayer from "../../../../src/layers/Settings.ts"
import { Metrics } from "../../../../src/services/kernel/Metrics.ts"
import { writeBackup } from "../../../../src/services/operations/Backup.ts"
import { Catalog } from "../../../../src/services/operations/Backup/Catalog.ts"
import type { Encryption } from "../../../../src/services/operations/Backup/Encryption.ts"
import { Restore } from "../../../../src/services/operations/Restore.ts"
import { type Engine, temporaryHome } from "../../../databases.ts"
import { freshPostgres, migratedPostgres } from "../../../postgres.ts"

/** The tables of this program's schema. */
export const headTables = Effect.flatMap(Effect.all([Catalog, headRevision]), ([{ tablesAt }, head]) => tablesAt(head))
  .pipe(
    Effect.provide(CatalogLayer.layer)
  )

/** A folder for SVC_HOME, and a database of one kind. */
export interface Site {
  readonly engine: Engine
  readonly home: string
  /** Null: svc.db in the home. */
  readonly databaseUrl: string | null
  /** For a program of its own. */
  readonly environment: Readonly<Record<string, string>>
}

const copyKeys = (from: string, to: string) => {
  for (const name of readdirSync(from)) {
    if (/^(secret|audit-.*)\.key$/.test(name)) cpSync(join(from, name), join(to, name))
  }
}

/** A new machine: a migrated database, or one without tables, and the keys of another machine or none. */
export const makeSite = (engine: Engine, { keysOf, isMigrated = true }: {
  readonly keysOf?: Site
  readonly isMigrated?: boolean
} = {}) =>
  Effect.gen(function*() {
    const home = yield* temporaryHome
    if (keysOf !== undefined) copyKeys(keysOf.home, home)
    const databaseUrl = engine === "SQLite" ? null : (yield* isMigrated ? migratedPostgres : freshPostgres).url
    const environment = { SVC_HOME: home, ...(databaseUrl !== null && { SVC_DATABASE_URL: databaseUrl }) }
    const site: Site = { engine, home, databaseUrl, environment }
    if (engine === "SQLite" && isMigrated) yield* Effect.void.pipe(Effect.provide(layerDatabase(site)))
    return site
  })

const layerSettings = ({ databaseUrl, home }: Site) =>
  SettingsLayer.layer({ SVC_HOME: home }, {
    databaseUrl: databaseUrl === null ? null : Redacted.make(databaseUrl),
    databasePoolSize: 2
  }).pipe(Layer.provideMerge(NodeContext.layer))

/** The migrated database, for reading and writing. */
export const layerDatabase = (site: Site) => DatabaseLayer.layer.pipe(Layer.provideMerge(layerSettings(site)))

/** The database as it is, without migrating it. */
export const layerUnmigrated = (site: Site) =>
  DatabaseLayer.layerUnmigrated.pipe(Layer.provideMerge(layerSettings(site)))

/** With the audit log and its keys, which are created. */
export const layerAudit = (site: Site) =>
  AuditLog.layer.pipe(Layer.provideMerge(Metrics.layer), Layer.provideMerge(layerDatabase(site)))

export const layerRestore = (site: Site, restore = Restore.layer) =>
  RestoreLayer.layerOf(restore).pipe(
    Layer.provideMerge(DatabaseLayer.layerUnmigrated),
    Layer.provideMerge(layerSettings(site))
  )

const quiet = () => {}

export const backUp = (site: Site, path: string, encryption: Encryption | null = null) =>
  Effect.flatMap(findSigner, (signer) => writeBackup({ path, encryption, report: quiet, signer })).pipe(
    Effect.provide(
      Layer.mergeAll(DatabaseLayer.layerReadOnly, CatalogLayer.layer).pipe(Layer.provideMerge(layerSettings(site)))
    )
  )

/** Checks and restores, as `svc restore --force --accept-foreign`. */
export const restoreInto = (
  site: Site,
  path: string,
  encryption: Encryption | null = null,
  layer = Restore.layer
) =>
  Effect.gen(function*() {
    const restore = yield* Restore
    const location = { path, encryption }
    const verified = yield* restore.check(location, quiet)
    return yield* restore.run({ location, verified, report: quiet, acceptForeign: true }) // a site may have no keys
  }).pipe(Effect.provide(layerRestore(site, layer)))

/** Every row of a table in an order of its own, every value as text. */
export const dumpTable = (name: string, columns: ReadonlyArray<{ readonly name: string; readonly kind: string }>) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const text = columns.map((column) => `CAST("${column.name}" AS TEXT) AS "${column.name}"`)
    // PostgreSQL and SQLite spell floats differently, and JavaScript reads both exactly
    const values = columns.map((column, index) => column.kind === "real" ? `"${column.name}"` : text[index])
    const rows = yield* sql.unsafe<Record<string, unknown>>(`SELECT ${values.join(", ")} FROM "${name}"`)
    const all = rows.map((row) => columns.map((column) => row[column.name] === null ? null : String(row[column.name])))
    return all.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  })
