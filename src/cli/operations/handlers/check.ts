import { FileSystem } from "@effect/platform"
import { Clock, Console, Effect, Option } from "effect"
import { statfs } from "node:fs/promises"
import { join } from "node:path"
import { headRevision } from "../../../../migrations/MigrationList.ts"
import { openFilesLimit } from "../../../layers/Connections.ts"
import { MailTransport } from "../../../services/kernel/Mail/Transport.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { Database, Reader } from "../../../services/kernel/sql/Database.ts"
import { findSearchIndexTrouble } from "../../../services/tasks/SearchIndexes.ts"
import { Environment } from "../../program/Environment.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import { listUnknownNames } from "../../program/UnknownNames.ts"
import { inspectStart, linesOf, requireStart, type StartInspection } from "../Inspection.ts"
import type { checkDefinitions } from "../serve.ts"
import { warningsOf } from "../Warnings.ts"

const isOpenToOthers = (mode: number): boolean => (mode & 0o077) !== 0

const listExposedFiles = (home: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    if (!isOpenToOthers((yield* fs.stat(home)).mode)) return []
    const files = yield* fs.readDirectory(home)
    return yield* Effect.filter(files.map((file) => join(home, file)), (file) =>
      Effect.map(fs.stat(file), ({ mode, type }) => type === "File" && isOpenToOthers(mode)))
  }).pipe(Effect.orElseSucceed(() => [])) // no folder, no files

const readFreeBytes = (home: string) =>
  Effect.tryPromise(() => statfs(home)).pipe(
    Effect.map(({ bavail, bsize }) => bavail * bsize),
    Effect.orElseSucceed(() => null)
  )

const readMaxConnections = Effect.gen(function*() {
  const read = yield* Reader
  const { dialect } = yield* Database
  if (dialect === "sqlite") return null
  const [row] = yield* read<{ n: number }>`SELECT setting::int AS n FROM pg_settings WHERE name = 'max_connections'`
  return row?.n ?? null
})

/** Why the mail server refuses the connection or the login; null where it accepts both, or none is set. */
const checkMail = Effect.gen(function*() {
  const transport = yield* MailTransport
  if (!transport.isConfigured) return null
  const result = yield* Effect.either(transport.verify)
  return result._tag === "Right" ? null : result.left.reason
}).pipe(Effect.provide(MailTransport.layer))

/** Whether the brain has been set up, so that there is something to back up. */
const hasUsers = Effect.flatMap(
  Reader,
  (read) => Effect.map(read`SELECT 1 FROM users LIMIT 1`, (rows) => rows.length > 0)
)

const millisPerDay = 86_400_000

const daysSince = (at: string) =>
  Effect.map(Clock.currentTimeMillis, (now) => Math.floor((now - Date.parse(at)) / millisPerDay))

const readBackupAge = ({ last_backup, revision }: StartInspection) =>
  Effect.gen(function*() {
    if (revision !== (yield* headRevision)) return null // an older schema may lack the tables
    if (last_backup !== null) return yield* daysSince(last_backup.created_at)
    return (yield* Effect.provide(hasUsers, layerInspection)) ? "never" : null
  })

export const handlers: HandlersOf<typeof checkDefinitions> = {
  check: Effect.fnUntraced(function*({ json }) {
    const found = yield* inspectStart
    yield* Console.log(json ? JSON.stringify(found) : (yield* linesOf(found)).join("\n"))
    yield* requireStart(found)
  }),
  doctor: handleWithSettings(function*() {
    const inspection = yield* inspectStart
    yield* Console.log((yield* linesOf(inspection)).join("\n"))
    const effective = yield* Settings
    const connections = yield* Effect.option(Effect.provide(readMaxConnections, layerInspection)) // no database yet: no limit
    const searchIndexes = yield* Effect.option(
      Effect.provide(Effect.flatMap(Reader, findSearchIndexTrouble), layerInspection)
    ) // no tables yet: no search
    const warnings = warningsOf({
      settings: effective,
      dialect: inspection.database_url.startsWith("sqlite:") ? "sqlite" : "pg",
      revision: inspection.revision,
      head: yield* headRevision,
      daysSinceBackup: yield* readBackupAge(inspection),
      unknownNames: listUnknownNames(yield* Environment),
      exposedFiles: yield* listExposedFiles(effective.home),
      freeBytes: yield* readFreeBytes(effective.home),
      openFilesLimit: yield* openFilesLimit,
      maxConnections: Option.getOrNull(connections),
      searchIndexTrouble: Option.getOrNull(searchIndexes),
      mailTrouble: yield* checkMail
    })
    yield* Console.log(
      warnings.length === 0 ? "warnings: none" : warnings.map((sentence) => `warning: ${sentence}`).join("\n")
    )
    yield* requireStart(inspection)
  })
}
