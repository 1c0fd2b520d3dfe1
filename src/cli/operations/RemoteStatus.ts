import { Console, Effect, Either } from "effect"
import type { Readiness } from "../../domain/kernel/Readiness.ts"
import { version } from "../../domain/kernel/Version.ts"
import type { DeepHealth, SystemInfo } from "../../domain/operations/Health.ts"
import type { Stats } from "../../domain/tasks/Rollup/Stats.ts"
import { client } from "../../http/Client.ts"
import { formatSize } from "../io/CopyProgress.ts"
import { escapeJson, escapeText } from "../io/TerminalText.ts"
import { clientSettings } from "../program/ClientSettings.ts"
import { CliError } from "../program/Explain.ts"
import { type ApiError, connect, resolveAccess, toRefused, withTimeout } from "../remote/Remote.ts"
import { countsText, tasksText } from "./CountsText.ts"

/** What the API says of a brain; null where it refuses the key, or there is none. */
interface RemoteStatus {
  readonly url: string
  readonly readiness: Readiness
  readonly system: SystemInfo | null
  readonly health: DeepHealth | null
  readonly project: string
  readonly stats: Stats | null
  /** Why something is missing, a sentence each. */
  readonly notes: ReadonlyArray<string>
}

const noteOf = <A>(read: Either.Either<A, string>): ReadonlyArray<string> => Either.isLeft(read) ? [read.left] : []

const readStatus = (url: string) =>
  Effect.gen(function*() {
    const { project } = yield* clientSettings
    const publicApi = yield* client({ baseUrl: url, transform: withTimeout })
    const readiness = yield* Effect.mapError(publicApi.health.ready({}), toRefused({ url, from: "SVC_API_KEY" }))
    const without = { url, readiness, project, system: null, health: null, stats: null }
    const access = yield* Effect.either(resolveAccess)
    if (Either.isLeft(access)) return { ...without, notes: [access.left.message] } satisfies RemoteStatus
    const api = yield* connect(access.right)
    const ask = <A>(call: Effect.Effect<A, ApiError>) =>
      Effect.either(Effect.mapError(call, (error) => toRefused(access.right)(error).message))
    const [system, health, stats] = yield* Effect.all(
      [
        ask(api.system.system({})),
        ask(api.system.deep({})),
        ask(api.trends.stats({ path: { slug: project }, urlParams: {} }))
      ] as const,
      { concurrency: "unbounded" }
    )
    return {
      ...without,
      system: Either.getOrNull(system),
      health: Either.getOrNull(health),
      stats: Either.getOrNull(stats),
      notes: [...new Set([...noteOf(system), ...noteOf(health), ...noteOf(stats)])]
    } satisfies RemoteStatus
  })

const healthText = ({ checks, status }: DeepHealth): string => {
  const troubles = Object.entries(checks).filter(([, check]) => check.status !== "ok")
    .map(([name, { detail, status }]) => `${name} ${status}${detail === null ? "" : ` (${detail})`}`)
  return [status, ...troubles].join("; ")
}

const linesOf = ({ health, notes, project, readiness, stats, system, url }: RemoteStatus): ReadonlyArray<string> => [
  `brain: ${readiness.status === "ready" ? "ready" : `not ready (${readiness.reason})`} at ${url}`,
  ...(system === null ? [] : [
    `version: ${system.version}, on ${system.runtime.name} ${system.runtime.version}`,
    `database: ${system.database.dialect === "pg" ? "PostgreSQL" : "SQLite"} ${system.database.version}, ` +
    `${formatSize(system.database.size_bytes)}, migration ${system.database.revision}`
  ]),
  ...(health === null ? [] : [`health: ${healthText(health)}`]),
  ...(stats === null ? [] : [
    `project: ${project}, ${stats.system_health.status}`,
    `agents: ${countsText({ online: stats.agents_online, offline: stats.agents_offline })}`,
    `workers: ${countsText({ online: stats.workers_online, offline: stats.workers_offline })}`,
    `tasks: ${tasksText(stats.tasks_by_state)}`,
    `open commands: ${stats.commands_pending}`
  ]),
  ...notes.map((note) => `note: ${note}`)
]

const rowsRefused = new CliError({
  usage: true,
  message: "--rows reads the database of this machine: unset SVC_URL, which names a running brain"
})

/** Prints the status of the brain at SVC_URL by its API; this machine's settings and database play no part. */
export const printRemoteStatus = (url: string, { json, rows }: { readonly json: boolean; readonly rows: boolean }) =>
  Effect.gen(function*() {
    if (rows) return yield* rowsRefused
    const { health, notes, project, readiness, stats, system } = yield* readStatus(url)
    yield* Console.log(
      json
        ? escapeJson(JSON.stringify({ version, brain: { url, ...readiness }, system, health, project, stats, notes }))
        : linesOf({ url, health, notes, project, readiness, stats, system }).map(escapeText).join("\n")
    )
  })
