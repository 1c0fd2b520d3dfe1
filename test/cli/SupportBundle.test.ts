import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { createReadStream, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createGunzip } from "node:zlib"
import { extract } from "tar-stream"
import { makeRedact } from "../../src/cli/operations/support/Redact.ts"
import { settingDefinitions } from "../../src/services/kernel/Settings.ts"
import { connected, event } from "../agent.ts"
import { type Engine, temporaryHome } from "../databases.ts"
import { adminKey } from "../e2e/brainProcess.ts"
import { callAt } from "../e2e/calls.ts"
import { laneEngines } from "../engines.ts"
import { migratedPostgres } from "../postgres.ts"
import { assertRefused } from "./remote.ts"
import { serving, svc } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

/** The files of the archive, by name. */
const unpacked = (path: string) =>
  Effect.promise(async () => {
    const files = new Map<string, string>()
    const entries = createReadStream(path).pipe(createGunzip()).pipe(extract())
    for await (const entry of entries) {
      let text = ""
      for await (const chunk of entry) text += String(chunk)
      files.set(entry.header.name, text)
    }
    return files
  })

const hex = (what: string) => `${what}-${randomBytes(12).toString("hex")}`
const key = () => randomBytes(32).toString("base64url")

const fileNames = [
  "README.txt",
  "versions.json",
  "settings.json",
  "check.json",
  "health.json",
  "migrations.json",
  "tables.json",
  "statements.json",
  "machine.json",
  "metrics.txt",
  "log.jsonl"
].map((name) => `svc-support/${name}`)

/** A value for every secret setting, each with a text to look for. */
const plant = (engine: Engine) =>
  Effect.gen(function*() {
    const secrets = {
      database: hex("database"),
      metrics: hex("metrics"),
      sink: hex("sink"),
      webhook: hex("webhook"),
      hmac: key(),
      smtp: hex("smtp"),
      sentry: hex("sentry"),
      agent: hex("agent"),
      agentHmac: key(),
      key: key(),
      chain: key(),
      signing: key()
    }
    const home = yield* temporaryHome
    const url = new URL((yield* migratedPostgres).url)
    url.password = secrets.database // which the server does not ask for
    const settings = {
      SVC_HOME: home,
      SVC_DATABASE_URL: engine === "PostgreSQL" ? url.toString() : `sqlite:///${home}/svc.db`,
      SVC_SECRET_KEY: secrets.key,
      SVC_AUDIT_CHAIN_KEY: secrets.chain,
      SVC_AUDIT_SIGNING_KEY: secrets.signing,
      SVC_METRICS_AUTH_TOKEN: secrets.metrics,
      SVC_AUDIT_WEBHOOK_URL: `https://127.0.0.1:1/${secrets.webhook}?token=${secrets.webhook}`,
      SVC_AUDIT_WEBHOOK_HMAC_SECRET: secrets.hmac,
      SVC_AUDIT_CHECKPOINT_WEBHOOK_URLS: `https://127.0.0.1:1/${secrets.sink}`,
      SVC_SMTP_URL: `smtp://mailer:${secrets.smtp}@127.0.0.1:1`,
      SVC_SENTRY_DSN: `https://${secrets.sentry}@127.0.0.1/1`,
      SVC_AUDIT_WEBHOOK_ALLOW_CIDRS: "127.0.0.1:*",
      SVC_OUTBOUND_ALLOW_CIDRS: "127.0.0.1:*",
      SVC_AGENT_TOKEN: secrets.agent,
      SVC_AGENT_HMAC_SECRET: secrets.agentHmac
    }
    // the server does not need these, and may want more settings beside them
    const others = Object.values(settingDefinitions).filter(({ name, secret }) => secret && !(name in settings)).map((
      { name }
    ) => [name, hex(name.toLowerCase())] as const)
    const planted = [...Object.values(secrets), ...others.map(([, value]) => value)]
    return { home, secrets: planted, settings, others: Object.fromEntries(others) }
  })

describe.each(laneEngines)("svc support-bundle on %s", (engine) => {
  it.scopedLive("contains what support needs, and none of the planted secrets", () =>
    Effect.gen(function*() {
      const { home, others, secrets, settings } = yield* plant(engine)
      const bootstrap = ["bootstrap-admin", "--email", "admin@example.com", "--password-stdin"]
      const created = yield* svcHere(bootstrap, settings, { input: "correct horse battery" })
      assert.strictEqual(created.code, 0, created.stderr)
      const { SVC_SENTRY_DSN: _, ...ofServer } = settings // @sentry/node would send there
      const brain = yield* serving({ ...ofServer, SVC_LOG_LEVEL: "debug" })
      const token = yield* adminKey(brain)
      const call = callAt(brain, token)
      const agent = (yield* call("POST", "/projects/default/agents", { name: hex("name") })).json
      const channelSecret = hex("channel")
      const channel = yield* call("POST", "/projects/default/notifications/channels", {
        name: "hook",
        type: "webhook",
        config: { url: `https://127.0.0.1:1/${channelSecret}`, hmac_secret: channelSecret.repeat(2) }
      })
      assert.strictEqual(channel.status, 201, channel.text)
      const argument = hex("argument")
      const socket = yield* connected({ base: brain.url, token: agent.token, hmac_secret: agent.hmac_secret })
      yield* Effect.promise(() =>
        socket.sendEvents([event({ data: { task_name: "pay", args: [argument], kwargs: { card: argument } } })])
      )
      const header = key()
      const logFile = join(home, "svc.log")
      const written = [
        JSON.stringify({
          ts: "2026-11-23T10:00:00.000Z",
          level: "error",
          logger: "svc",
          msg: `authorization: Bearer ${header}`
        }),
        JSON.stringify({
          level: "info",
          msg: `sent Authorization header "Bearer ${header}" to hook`,
          headers: { cookie: header }
        }),
        `Error: password=hunter2 for https://user:${header}@example.com/x?token=${header}`,
        JSON.stringify({
          level: "error",
          msg: `args: ["${argument}"] of ada@example.com`,
          error: `Error: ${header}\n    at pay (src/pay.ts:17:3)`
        })
      ]
      const log = `${brain.stdout()}${brain.stderr()}${written.join("\n")}\n`
      writeFileSync(logFile, log)
      assert.include(log, "/projects/default/agents")

      const output = join(home, "bundle.tar.gz")
      const run = ["support-bundle", "--output", output, "--log", logFile]
      const own = { ...settings, ...others, SVC_PORT: String(brain.port), SVC_API_KEY: token }
      const result = yield* svcHere(run, own)
      assert.strictEqual(result.code, 0, result.stderr)
      assert.strictEqual(result.stderr, "")
      assert.strictEqual(statSync(output).mode & 0o777, 0o600)

      const files = yield* unpacked(output)
      assert.sameMembers([...files.keys()], fileNames)
      const planted = [
        ...secrets,
        token,
        agent.token,
        agent.hmac_secret,
        channelSecret,
        argument,
        header,
        "hunter2",
        "correct horse"
      ]
      for (const [name, text] of [...files, ["the terminal", result.stdout + result.stderr] as const]) {
        for (const secret of planted) assert.notInclude(text, secret, name)
        assert.notInclude(text, "ada@example.com", name)
      }
      const json = (name: string) => JSON.parse(files.get(`svc-support/${name}.json`) ?? "")
      assert.strictEqual(json("versions").database.dialect, engine === "SQLite" ? "sqlite" : "pg")
      assert.deepInclude(json("settings").settings, { name: "SVC_SECRET_KEY", source: "environment", value: "set" })
      assert.deepInclude(json("settings").settings, {
        name: "SVC_PORT",
        source: "environment",
        value: String(brain.port)
      })
      assert.strictEqual(json("check").keys, "ok")
      assert.strictEqual(json("health").readiness.status, "ready")
      assert.property(json("health").deep.checks, "loop.ingest")
      assert.strictEqual(json("migrations").current, json("migrations").head)
      assert.deepInclude(json("tables").rows.agents, { n: 1 })
      assert.isAbove(json("tables").sizes.length, 20)
      assert.property(json("statements"), engine === "SQLite" ? "state" : "pg_stat_statements")
      assert.isAbove(json("machine").disk_of_home_bytes.free, 0)
      assert.include(files.get("svc-support/metrics.txt"), "svc_background_task_error_active")
      const lines = files.get("svc-support/log.jsonl") ?? ""
      assert.include(lines, "POST /api/v1/projects/default/agents 201")
      assert.include(lines, "at pay (src/pay.ts:17:3)")

      // an existing file stays as it is
      const before = readFileSync(output)
      assertRefused(yield* svcHere(run, own), "exists already")
      assert.isTrue(before.equals(readFileSync(output)))
      assertRefused(
        yield* svcHere(["support-bundle", "--output", join(home, "none/x.tar.gz")], own),
        "cannot be written"
      )
      assertRefused(
        yield* svcHere(["support-bundle", "--output", join(home, "y"), "--log", join(home, "none")], own),
        "cannot be read"
      )

      // the brain is down: all that needs no brain, and a part of the log from standard input
      assert.strictEqual(yield* brain.stop("SIGTERM"), 0)
      const later = join(home, "later.tar.gz")
      const down = yield* svcHere(["support-bundle", "-o", later, "--log", "-", "--log-lines", "1"], own, {
        input: log
      })
      assert.strictEqual(down.code, 0, down.stderr)
      const rest = yield* unpacked(later)
      assert.deepStrictEqual(JSON.parse(rest.get("svc-support/health.json") ?? "").readiness, null)
      assert.strictEqual(JSON.parse(rest.get("svc-support/check.json") ?? "").keys, "ok")
      assert.strictEqual((rest.get("svc-support/log.jsonl") ?? "").trim().split("\n").length, 1)
    }))
})

describe("svc support-bundle", () => {
  it.scopedLive("is written also while the database does not respond", () =>
    Effect.gen(function*() {
      const home = yield* temporaryHome
      const output = join(home, "bundle.tar.gz")
      const settings = { SVC_HOME: home, SVC_DATABASE_URL: "postgresql://svc:s3cret-of-the-database@127.0.0.1:1/svc" }
      const result = yield* svc(["support-bundle", "--output", output], settings)
      assert.strictEqual(result.code, 0, result.stderr)
      assert.include(result.stderr, "tables.json has only the reason")
      const files = yield* unpacked(output)
      assert.sameMembers([...files.keys()], fileNames)
      assert.notInclude([...files.values()].join(), "s3cret")
      assert.include(files.get("svc-support/tables.json"), "error")
    }))

  it("keeps words and short numbers of a text, and masks what is shaped like a credential", () => {
    const redact = makeRedact(new Set(["plain words", "short"]))
    assert.strictEqual(
      redact("GET /api/v1/projects/shop/tasks 422 in 17ms, InvalidArgument at Tasks.ts:12:7"),
      "GET /api/v1/projects/shop/tasks 422 in 17ms, InvalidArgument at Tasks.ts:12:7"
    )
    assert.strictEqual(redact("the token is revoked"), "the token is revoked")
    assert.strictEqual(redact("it says plain words"), "it says ***")
    assert.strictEqual(redact("password = correct horse"), "password: ***")
    assert.strictEqual(redact("{\"Authorization\":\"Basic dXNlcjpwYXNz\"}"), "{\"Authorization: ***")
    assert.strictEqual(redact("sent Bearer abc"), "sent Bearer ***")
    assert.strictEqual(redact("postgresql://svc:pw@db/svc?sslmode=x"), "postgresql://***@db/svc?***")
    assert.strictEqual(redact("key svk_R4nd0mT3xt and eyJhbGciOi.J9"), "key *** and ***")
  })
})
