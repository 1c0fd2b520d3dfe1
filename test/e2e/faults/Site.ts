import { Effect } from "effect"
import { inject } from "vitest"
import { type Engine } from "../../databases.ts"
import { migratedPostgres } from "../../postgres.ts"
import { siteOf } from "../brainProcess.ts"
import { site } from "../site.ts"
import { proxyTo } from "./Proxy.ts"

/** A site whose brains reach PostgreSQL through a proxy; on SQLite there is none. */
export const siteBehind = (engine: Engine, timeoutSeconds: number) =>
  Effect.gen(function*() {
    const settings = { SVC_COMMAND_TIMEOUT_SECONDS: String(timeoutSeconds) }
    if (engine === "SQLite") return { site: yield* site(engine, settings), database: null }
    const url = new URL((yield* migratedPostgres).url)
    const { port, proxy } = yield* proxyTo({ host: url.hostname, port: Number(url.port === "" ? 5432 : url.port) })
    url.host = `127.0.0.1:${port}`
    const behindProxy = { ...settings, SVC_DATABASE_URL: url.toString() }
    return { site: yield* siteOf(inject("program"), behindProxy), database: proxy }
  })
