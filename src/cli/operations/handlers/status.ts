import type { SqlError } from "@effect/sql"
import { Clock, Console, Effect, Option } from "effect"
import { headRevision } from "../../../../migrations/MigrationList.ts"
import { version } from "../../../domain/kernel/Version.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { Reader } from "../../../services/kernel/sql/Database.ts"
import { readDatabaseInfo } from "../../../services/operations/DatabaseInfo.ts"
import { formatSize } from "../../io/CopyProgress.ts"
import { formatAge } from "../../io/Table.ts"
import { clientSettings } from "../../program/ClientSettings.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import { layerInspection } from "../../program/ReadOnlyDatabase.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import { type Counts, countsText, tasksText, totalOf } from "../CountsText.ts"
import { backupText, inspect, type Inspection } from "../Inspection.ts"
import { probeBrain, readProcess } from "../LocalBrain.ts"
import { printRemoteStatus } from "../RemoteStatus.ts"
import { countRows, linesOfRows } from "../RowCounts.ts"
import type { statusDefinitions } from "../serve.ts"

const countsBy = (
  statement: Effect.Effect<ReadonlyArray<{ readonly state: string; readonly n: number | string }>, SqlError.SqlError>
) =>
  Effect.map(
    statement,
    (rows): Counts =>
      Object.fromEntries(rows.map(({ n, state }) => [state, Number(n)] as const).filter(([, n]) => n > 0))
  )

/** Agents by state, tasks by state, and open commands by status. */
const readCounts = Effect.flatMap(Reader, (sql) =>
  Effect.all({
    agents: countsBy(sql`SELECT state, count(*) AS n FROM agents GROUP BY state ORDER BY state`),
    tasks: countsBy(sql`SELECT state, SUM(tasks) AS n FROM task_counts GROUP BY state ORDER BY state`),
    commands: countsBy(
      sql`SELECT status AS state, count(*) AS n FROM commands WHERE status IN ('pending', 'dispatched') GROUP BY status ORDER BY status`
    )
  }))

const noCounts = { agents: {}, tasks: {}, commands: {} }

/** What is known of the brain on this machine, and of brains on the database. */
const readBrain = ({ brain_running, brains }: Inspection) =>
  Effect.gen(function*() {
    const { readiness, url } = yield* probeBrain
    const running = Option.isSome(readiness)
    // another program on that port must not get the token of the metrics
    const process = running && brain_running ? yield* readProcess(url) : { version: null, since: null }
    return {
      url,
      running,
      ...Option.getOrElse(readiness, () => ({ status: null })),
      ...process,
      /** A brain runs on the database, here or at another address. */
      on_database: brain_running,
      /** Their hosts and process ids on PostgreSQL. */
      processes: brains
    }
  })

type Brain = Effect.Effect.Success<ReturnType<typeof readBrain>>

const brainText = (brain: Brain, nowMillis: number): string => {
  const processes = brain.processes.length === 0 ? "" : ` (${brain.processes.join(", ")})`
  if (!brain.running) {
    return brain.on_database
      ? `not at ${brain.url}, but a brain runs on this database${processes}`
      : `not running at ${brain.url}`
  }
  const readiness = brain.status === "unready" ? `not ready (${brain.reason})` : "ready"
  return [
    `${readiness} at ${brain.url}`,
    ...(brain.version === null ? [] : [`svc ${brain.version}`]),
    ...(brain.since === null ? [] : [`since ${brain.since} (${formatAge(brain.since, { nowMillis })})`]),
    ...(brain.on_database ? [] : ["but on another database"]),
    ...(brain.processes.length < 2 ? [] : [`${brain.processes.length} processes on this database${processes}`])
  ].join(", ")
}

/** The status of this machine's brain, from its settings and its database. */
const printLocalStatus = handleWithSettings(function*(
  { json, rows: showRows }: OptionsOf<typeof statusDefinitions.status>
) {
  const inspection = yield* inspect
  const { database_exists, database_url, last_backup, revision } = inspection
  const { environment } = yield* Settings
  const head = yield* headRevision
  const brain = yield* readBrain(inspection)
  const rows = database_exists && (json || showRows) ? yield* Effect.provide(countRows, layerInspection) : []
  const size = database_exists ? (yield* Effect.provide(readDatabaseInfo, layerInspection)).size : null
  // an older schema may lack the tables of this revision
  const isAtHead = revision === head
  const { agents, commands, tasks } = isAtHead ? yield* Effect.provide(readCounts, layerInspection) : noCounts
  const status = {
    version,
    brain,
    revision,
    head,
    environment,
    database_url,
    size_bytes: size,
    agents,
    tasks,
    tasks_total: totalOf(tasks),
    commands,
    last_backup,
    rows: Object.fromEntries(rows.map(([name, { n }]) => [name, n])),
    /** Tables with more rows than were counted. */
    approximate: rows.filter(([, { precision }]) => precision !== "exact").map(([name]) => name)
  }
  if (json) return yield* Console.log(JSON.stringify(status))
  const behind = revision === null || isAtHead ? "" : "; svc serve migrates at start"
  yield* Console.log([
    `version: ${version}`,
    `brain: ${brainText(brain, yield* Clock.currentTimeMillis)}`,
    `migration: ${revision ?? "none"} (head ${head}${behind})`,
    `environment: ${environment}`,
    `database: ${database_url}${size === null ? "" : `, ${formatSize(size)}`}`,
    ...(isAtHead
      ? [
        `agents: ${countsText(agents)}`,
        `tasks: ${tasksText(tasks)}`,
        `open commands: ${countsText(commands)}`,
        `last backup: ${yield* backupText(last_backup)}`
      ]
      : []),
    ...(rows.length === 0
      ? []
      : ["rows:", ...linesOfRows(rows)])
  ].join("\n"))
})

export const handlers: HandlersOf<typeof statusDefinitions> = {
  /** With SVC_URL, which every command over the API respects, that of the brain there. */
  status: (options) =>
    Effect.flatMap(
      clientSettings,
      ({ url }) => url === null ? printLocalStatus(options) : printRemoteStatus(url, options)
    )
}
