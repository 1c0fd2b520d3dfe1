import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Context, Data, Effect, Either, Encoding, Layer, Option, Redacted } from "effect"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { Metrics } from "../services/kernel/Metrics.ts"
import * as RunningBrains from "../services/kernel/RunningBrains.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { withAfterCommit } from "../services/kernel/sql/AfterCommit.ts"
import { Database, type MeasureUse, Reader } from "../services/kernel/sql/Database.ts"
import { Migrations } from "../services/kernel/sql/Migrations.ts"
import { PreparedReads } from "../services/kernel/sql/PreparedReads.ts"
import * as Hints from "./Hints.ts"
import * as Postgres from "./Postgres.ts"
import * as Sqlite from "./Sqlite.ts"
import * as SqliteLock from "./SqliteLock.ts"

/** SVC_DATABASE_URL names no database that the brain can use. */
export class DatabaseUrlInvalid extends Data.TaggedError("DatabaseUrlInvalid")<{ readonly message: string }> {}

/** The brain's metrics; the commands of the command line have none. */
const databaseMeasure: Effect.Effect<MeasureUse> = Effect.map(
  Effect.serviceOption(Metrics),
  Option.match({
    onNone: () => () => {},
    onSome: ({ databaseSeconds }) => (connection, seconds) => databaseSeconds.observe({ connection }, seconds)
  })
)

type SqliteClients = Effect.Effect.Success<ReturnType<typeof Sqlite.makeSqlite>>

export type DatabaseLocation =
  | { readonly dialect: "sqlite"; readonly file: string }
  | { readonly dialect: "pg"; readonly url: Redacted.Redacted; readonly redactedUrl: string }

/** The driver takes a password also from the query. */
const maskPasswords = (text: string): string => {
  const url = new URL(text)
  if (url.password !== "") url.password = "***"
  for (const name of ["password", "sslpassword"]) if (url.searchParams.has(name)) url.searchParams.set(name, "***")
  return url.toString()
}

/** `sqlite:///relative`, `sqlite:////absolute`, `sqlite:///:memory:`, `postgresql://…`; unset: `svc.db` in SVC_HOME. */
export const parseDatabaseUrl = (
  url: Redacted.Redacted | null,
  home: string
): Effect.Effect<DatabaseLocation, DatabaseUrlInvalid> => {
  if (url === null) return Effect.succeed({ dialect: "sqlite", file: join(home, "svc.db") })
  const text = Redacted.value(url)
  if (text.startsWith("sqlite:///")) {
    const path = Either.getOrNull(Encoding.decodeUriComponent(text.slice("sqlite:///".length)))
    if (path === null) {
      return Effect.fail(new DatabaseUrlInvalid({ message: "SVC_DATABASE_URL: a % of the path is written %25" }))
    }
    if (path === "") {
      return Effect.fail(new DatabaseUrlInvalid({ message: "SVC_DATABASE_URL: sqlite:/// needs a file" }))
    }
    return Effect.succeed({
      dialect: "sqlite",
      file: path === ":memory:" ? path : isAbsolute(path) ? path : resolve(path)
    })
  }
  if (/^postgres(ql)?:\/\//.test(text) && URL.canParse(text)) {
    return Effect.succeed({ dialect: "pg", url, redactedUrl: maskPasswords(text) })
  }
  return Effect.fail(
    new DatabaseUrlInvalid({
      message: "SVC_DATABASE_URL must begin with sqlite:/// or postgresql:// and be a valid URL"
    })
  )
}

/** The SQLite file of the settings does not exist yet; `svc serve` creates it. */
export class DatabaseMissing extends Data.TaggedError("DatabaseMissing")<{ readonly file: string }> {
  override get message() {
    return `There is no database at ${this.file} yet; \`svc serve\` or \`svc migrate upgrade\` creates it.`
  }
}

/** A mistyped path, or a disk that is not mounted: an empty database would hide it. */
export class FolderMissing extends Data.TaggedError("FolderMissing")<{ readonly folder: string }> {
  override get message() {
    return `SVC_DATABASE_URL names a file in ${this.folder}, which does not exist. Create it, or correct the setting.`
  }
}

const isFolder = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (fs) => fs.stat(path)).pipe(
    Effect.map(({ type }) => type === "Directory"),
    Effect.orElseSucceed(() => false)
  )

const openExisting = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return (yield* fs.exists(file)) ? yield* Sqlite.makeReadOnly(file) : yield* new DatabaseMissing({ file })
  })

const openOrCreate = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const { databaseUrl } = yield* Settings
    const folder = dirname(file)
    if (databaseUrl === null) yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    else if (file !== ":memory:" && !(yield* isFolder(folder))) return yield* new FolderMissing({ folder })
    return yield* Sqlite.makeSqlite(file, yield* databaseMeasure)
  })

/**
 * The clients and the direct access for one location. `open` opens a SQLite file; `runFirstQuery` runs the first query
 * on PostgreSQL. Does not migrate.
 */
const layerAt = <E, R>(
  location: DatabaseLocation,
  open: (file: string) => Effect.Effect<SqliteClients, E, R>,
  runFirstQuery?: Postgres.RunFirstQuery
) =>
  Layer.scopedContext(Effect.gen(function*() {
    const settings = yield* Settings
    if (location.dialect === "pg") {
      const postgres = yield* Postgres.makePostgres(
        location.url,
        settings.databasePoolSize,
        yield* databaseMeasure,
        runFirstQuery
      )
      const sql = withAfterCommit(postgres.sql)
      return Context.make(SqlClient.SqlClient, sql as SqlClient.SqlClient).pipe(
        Context.add(Reader, sql as SqlClient.SqlClient),
        Context.add(PreparedReads, postgres.reads),
        Context.add(Database, {
          dialect: "pg",
          redactedUrl: location.redactedUrl,
          sqlite: null,
          postgres: postgres.access
        })
      )
    }
    const { access, reader, reads, writer } = yield* open(location.file)
    return Context.make(SqlClient.SqlClient, withAfterCommit(writer)).pipe(
      Context.add(Reader, reader),
      Context.add(PreparedReads, reads),
      Context.add(Database, {
        dialect: "sqlite",
        redactedUrl: `sqlite:///${location.file}`,
        sqlite: access,
        postgres: null
      })
    )
  }))

const layerOfSettings = <E, R>(
  open: (file: string) => Effect.Effect<SqliteClients, E, R>,
  runFirstQuery?: Postgres.RunFirstQuery
) =>
  Migrations.layer.pipe(
    Layer.provideMerge(Layer.unwrapEffect(Effect.gen(function*() {
      const settings = yield* Settings
      return layerAt(yield* parseDatabaseUrl(settings.databaseUrl, settings.home), open, runFirstQuery)
    })))
  )

/** The database that the settings name, with its migrations service; `svc migrate` stops here. */
export const layerUnmigrated = layerOfSettings(openOrCreate)

/** Opens the database of the settings read-only: creates and writes nothing. Fails with DatabaseMissing. */
export const layerReadOnly = layerOfSettings(openExisting)

/** The database of the settings, migrated to this program's revision; and the hints. */
export const layer = Hints.layer.pipe(
  Layer.provideMerge(Migrations.layerUpgrade),
  Layer.provideMerge(layerUnmigrated)
)

/**
 * The migrated database of a brain: locks a SQLite file for one brain, or waits until PostgreSQL responds and shows there
 * that a brain runs.
 */
export const layerServer = Hints.layer.pipe(
  Layer.provideMerge(RunningBrains.layer),
  Layer.provideMerge(Migrations.layerUpgrade),
  Layer.provideMerge(SqliteLock.layer),
  Layer.provideMerge(layerOfSettings(openOrCreate, Postgres.retryUntilAvailable))
)
