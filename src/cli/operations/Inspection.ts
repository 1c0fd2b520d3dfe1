import { Clock, Effect } from "effect"
import { headRevision } from "../../../migrations/MigrationList.ts"
import * as DatabaseLayer from "../../layers/Database.ts"
import * as Keys from "../../layers/Keys.ts"
import { publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import { findRunningBrains } from "../../services/kernel/RunningBrains.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { Database } from "../../services/kernel/sql/Database.ts"
import { Migrations } from "../../services/kernel/sql/Migrations.ts"
import { findLastBackup, type LastBackup } from "../../services/operations/Backup/Record.ts"
import { formatSize } from "../io/CopyProgress.ts"
import { formatAge } from "../io/Table.ts"
import { CliError } from "../program/Explain.ts"
import { settings } from "../program/Settings.ts"
import { addressOf } from "./LocalBrain.ts"
import {
  findDatabaseFileTrouble,
  findHomeTrouble,
  findNativeTrouble,
  findPortUse,
  type PortUse
} from "./StartChecks.ts"

interface DatabaseInspection {
  /** Without its password. */
  readonly database_url: string
  /** False for a SQLite file that does not exist yet. */
  readonly database_exists: boolean
  /** Null before the first migration. */
  readonly revision: number | null
  /** Why `svc serve` would refuse the revision; null when it would work with it, or migrate it. */
  readonly revision_trouble: string | null
  /** Why `svc serve` would refuse the keys; null when it would accept them, or has yet to create them. */
  readonly key_trouble: string | null
  /** A brain runs on this database. */
  readonly brain_running: boolean
  /** Host and process id of each brain on PostgreSQL. */
  readonly brains: ReadonlyArray<string>
  /** Null where the audit log knows none; and at another revision than this program's, which may lack the log. */
  readonly last_backup: LastBackup | null
}

export interface Inspection extends DatabaseInspection {
  /** SVC_HOME, absolute. */
  readonly home: string
}

const inspectDatabase = Effect.gen(function*() {
  const { redactedUrl } = yield* Database
  const { checkCompatible, current } = yield* Migrations
  const revision = yield* current
  const comparison = revision === 0 ? Effect.void : Keys.verifyKeys
  const key_trouble = yield* Effect.as(comparison, null).pipe(
    Effect.catchTag("KeyMismatch", "KeyUnusable", "SecretKeyIncomplete", ({ message }) => Effect.succeed(message))
  )
  const { holders, isServed } = yield* findRunningBrains
  return {
    database_url: redactedUrl,
    database_exists: true,
    revision: revision === 0 ? null : revision,
    revision_trouble: yield* Effect.as(checkCompatible, null).pipe(
      Effect.catchTag("SchemaTooNew", "SchemaUnknown", ({ message }) => Effect.succeed(message))
    ),
    key_trouble,
    brain_running: isServed,
    brains: holders,
    last_backup: revision === (yield* headRevision) ? yield* findLastBackup : null
  } satisfies DatabaseInspection
})

const missingDatabase = (file: string): DatabaseInspection => ({
  database_url: `sqlite:///${file}`,
  database_exists: false,
  revision: null,
  revision_trouble: null,
  key_trouble: null,
  brain_running: false,
  brains: [],
  last_backup: null
})

/** The facts of the database. Fails when the settings do not load or the database does not respond. */
export const inspect = Effect.gen(function*() {
  const { home } = yield* Settings
  const found: DatabaseInspection = yield* inspectDatabase.pipe(
    Effect.provide(DatabaseLayer.layerReadOnly),
    Effect.catchTag("DatabaseMissing", ({ file }) => Effect.succeed(missingDatabase(file)))
  )
  return { home, ...found } satisfies Inspection
}).pipe(Effect.provide(settings()))

/** The facts of `svc check`. */
export interface StartInspection extends Inspection {
  /** Why SVC_HOME cannot be written to, or created. */
  readonly home_trouble: string | null
  /** Why a native package cannot be loaded by this Node.js. */
  readonly native_trouble: string | null
  /** Why the SQLite file cannot be written to, or created. */
  readonly database_trouble: string | null
  /** Where the brain listens: SVC_HOST and SVC_PORT. */
  readonly address: string
  /** Where people and agents reach it. */
  readonly public_url: string
  readonly port_use: PortUse["use"]
  /** Why the brain cannot listen at its address. */
  readonly port_trouble: string | null
}

/** Everything that `svc serve` needs for its start. Changes nothing that stays. */
export const inspectStart = Effect.gen(function*() {
  const effective = yield* Settings
  const location = yield* DatabaseLayer.parseDatabaseUrl(effective.databaseUrl, effective.home)
  const home_trouble = yield* findHomeTrouble(effective.home)
  const native_trouble = yield* findNativeTrouble(location)
  const database_trouble = yield* findDatabaseFileTrouble(location, effective)
  const file = location.dialect === "sqlite" && (home_trouble ?? database_trouble) !== null ? location.file : null
  const found: Inspection = yield* inspect.pipe(
    // the trouble of its folder is the cause
    Effect.catchTag(
      "SystemError",
      (error) => file === null ? Effect.fail(error) : Effect.succeed({ home: effective.home, ...missingDatabase(file) })
    )
  )
  const port = yield* findPortUse(effective, found.brain_running)
  return {
    ...found,
    home_trouble,
    native_trouble,
    database_trouble,
    address: addressOf(effective.host, effective.port),
    public_url: publicUrlOf(effective),
    port_use: port.use,
    port_trouble: port.trouble
  } satisfies StartInspection
}).pipe(Effect.provide(settings()))

/** What prevents a start, by the line of `linesOf` that has its sentence. */
const troublesOf = (found: StartInspection): ReadonlyArray<string> =>
  [
    ["home", found.home_trouble],
    ["native packages", found.native_trouble],
    ["database", found.database_trouble],
    ["revision", found.revision_trouble],
    ["port", found.port_trouble],
    ["keys", found.key_trouble]
  ].flatMap(([line, trouble]) => (typeof line === "string" && trouble !== null ? [line] : []))

/** When the last backup was made, for people. */
export const backupText = (last: LastBackup | null) =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => {
    if (last === null) return "none recorded"
    const age = formatAge(last.created_at, { nowMillis })
    const size = last.bytes === null ? "" : `, ${formatSize(last.bytes)}`
    return `${last.created_at} (${age} ago${size})${last.restored ? ", which this database was restored from" : ""}`
  })

const databaseText = ({ brain_running, brains, database_exists, database_trouble, database_url }: StartInspection) => {
  if (database_trouble !== null) return `${database_url}: ${database_trouble}`
  if (!database_exists) return `${database_url} does not exist yet; svc serve creates it`
  const names = brains.length === 0 ? "" : ` (${brains.join(", ")})`
  return `${database_url} answers${brain_running ? `; a brain runs on it${names}` : ""}`
}

const portText = ({ address, port_trouble, port_use }: StartInspection): string => {
  if (port_trouble !== null) return port_trouble
  if (address.endsWith(":0")) return "SVC_PORT is 0, so each start takes a free one"
  return port_use === "this_brain" ? `${address} is taken by the running brain of this database` : `${address} is free`
}

/** For people, one line each. */
export const linesOf = (found: StartInspection) =>
  Effect.gen(function*() {
    const isLogReadable = found.revision === null || found.revision === (yield* headRevision)
    return [
      `settings: ok (SVC_HOME ${found.home})`,
      `home: ${found.home_trouble ?? "writable"}`,
      `native packages: ${found.native_trouble ?? `ok for Node.js ${process.versions.node}`}`,
      `database: ${databaseText(found)}`,
      `revision: ${found.revision ?? "none"}${found.revision_trouble === null ? "" : `. ${found.revision_trouble}`}`,
      `last backup: ${isLogReadable ? yield* backupText(found.last_backup) : "unknown at this revision"}`,
      `address: ${found.public_url}`,
      `port: ${portText(found)}`,
      `keys: ${found.key_trouble ?? "ok"}`
    ]
  })

/** Fails, after everything is printed, when `svc serve` would not start. */
export const requireStart = (found: StartInspection) => {
  const troubles = troublesOf(found)
  return troubles.length === 0
    ? Effect.void
    : new CliError({
      message: `svc serve will refuse to start; see the ${troubles.length === 1 ? "line" : "lines"} ${
        troubles.join(", ")
      }`
    })
}
