import type { SqlError } from "@effect/sql"
import { Console, Effect, Option } from "effect"
import { migrations } from "../../../migrations/index.ts"
import { version } from "../../domain/Version.ts"
import { client } from "../../http/Client.ts"
import { Reader } from "../../services/Database.ts"
import { Settings } from "../../services/Settings.ts"
import { inspect, layerInspection } from "../Inspection.ts"
import { withTimeout } from "../Remote.ts"
import { countRows, linesOfRows } from "../RowCounts.ts"
import { settings } from "../Settings.ts"

/** Addresses that listen on every interface; the probe uses the loopback address instead. */
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"])

/** The readiness of the brain with these settings on this machine; none where nothing answers. */
const probeBrain = Effect.gen(function*() {
  const { host, port } = yield* Settings
  const name = wildcards.has(host) ? "127.0.0.1" : host
  const url = `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
  const api = yield* client({ baseUrl: url, transform: withTimeout })
  const readiness = yield* api.health.ready({}).pipe(Effect.timeout("3 seconds"), Effect.option)
  return { url, readiness }
})

const countsBy = (
  statement: Effect.Effect<ReadonlyArray<{ readonly state: string; readonly n: number | string }>, SqlError.SqlError>
) =>
  Effect.map(
    statement,
    (rows): Readonly<Record<string, number>> =>
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

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts).map(([state, n]) => `${n} ${state}`).join(", ") || "none"

const brainText = ({ readiness, url }: Effect.Effect.Success<typeof probeBrain>): string =>
  Option.match(readiness, {
    onNone: () => `not running at ${url}`,
    onSome: (found) => `${found.status === "ready" ? "ready" : `not ready (${found.reason})`} at ${url}`
  })

export const status = ({ json }: { readonly json: boolean }) =>
  Effect.gen(function*() {
    const inspection = yield* inspect
    const { environment } = yield* Settings
    const brain = yield* probeBrain
    const isMigrated = inspection.database_exists && inspection.revision !== null
    const rows = inspection.database_exists ? yield* Effect.provide(countRows, layerInspection) : []
    const head = migrations[migrations.length - 1]?.id ?? 0
    // an older schema may lack the tables of this revision
    const { agents, commands, tasks } = isMigrated && inspection.revision === head
      ? yield* Effect.provide(readCounts, layerInspection)
      : noCounts
    const status = {
      version,
      brain: {
        url: brain.url,
        running: Option.isSome(brain.readiness),
        ...Option.getOrElse(brain.readiness, () => ({ status: null }))
      },
      revision: inspection.revision,
      head,
      environment,
      database_url: inspection.database_url,
      agents,
      tasks,
      commands,
      rows: Object.fromEntries(rows.map(([name, { n }]) => [name, n])),
      /** Tables with more rows than were counted. */
      approximate: rows.filter(([, { precision }]) => precision !== "exact").map(([name]) => name)
    }
    if (json) return yield* Console.log(JSON.stringify(status))
    const behind = inspection.revision === null || inspection.revision === head ? "" : "; svc serve migrates at start"
    yield* Console.log([
      `version: ${version}`,
      `brain: ${brainText(brain)}`,
      `migration: ${inspection.revision ?? "none"} (head ${head}${behind})`,
      `environment: ${environment}`,
      `database: ${inspection.database_url}`,
      ...(isMigrated
        ? [
          `agents: ${countsText(agents)}`,
          `tasks: ${countsText(tasks)}`,
          `open commands: ${countsText(commands)}`
        ]
        : []),
      ...(rows.length === 0
        ? []
        : ["rows:", ...linesOfRows(rows)])
    ].join("\n"))
  }).pipe(Effect.provide(settings()))
