import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { type Console, Effect, Either, Layer, Option, Stream } from "effect"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { layerAuditLog } from "../../src/cli/audit/AuditLog.ts"
import { handlers as audit } from "../../src/cli/audit/handlers/audit.ts"
import { StandardInput } from "../../src/cli/io/StandardInput.ts"
import { handlers as checks } from "../../src/cli/operations/handlers/check.ts"
import { handlers as secretKey } from "../../src/cli/operations/handlers/secret-key.ts"
import { Environment } from "../../src/cli/program/Environment.ts"
import { exitCodeOf } from "../../src/cli/program/Explain.ts"
import { system } from "../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { Audit } from "../../src/services/audit/Audit.ts"
import { pruneAudit } from "../../src/services/audit/Prune.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { Vault } from "../../src/services/kernel/keys/Keys.ts"
import { type Engine, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { migratedPostgres } from "../postgres.ts"

/** What a command prints and its exit code, in this process. */
const runCommand = <E, R>(program: Effect.Effect<void, E, R>) =>
  Effect.gen(function*() {
    const out: Array<string> = []
    const console = yield* Effect.console
    const exit = yield* Effect.either(
      Effect.withConsole(program, {
        ...console,
        log: (...parts) => Effect.sync(() => void out.push(parts.join(" ")))
      } as Console.Console).pipe(Effect.provideService(StandardInput, Stream.empty))
    ) // only log is used
    return {
      code: Either.isRight(exit) ? 0 : exitCodeOf(exit.left),
      out: out.join("\n"),
      message: Either.isLeft(exit) ? String(Reflect.get(Object(exit.left), "message")) : ""
    }
  })

const none = { knownHead: Option.none<string>(), checkpoints: [], publicKey: [], json: false }

const database = <A, E>(work: Effect.Effect<A, E, Layer.Layer.Success<typeof layerAuditLog>>) =>
  Effect.provide(work, layerAuditLog)
const row = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  yield* sql.withTransaction(
    audit.recordAll([{ actor: system("test"), entry: { action: "test.done", target_type: "test" } }])
  )
})

const world = (engine: Engine) =>
  Effect.map(
    Effect.all([temporaryHome, engine === "PostgreSQL" ? migratedPostgres : Effect.succeed(null)]),
    ([home, postgres]) => ({
      home,
      environment: { SVC_HOME: home, ...(postgres === null ? {} : { SVC_DATABASE_URL: postgres.url }) }
    })
  )

describe.each(laneEngines)("svc audit on %s", (engine) => {
  it.scopedLive("verifies, compares with a known head, and says what is wrong", () =>
    Effect.gen(function*() {
      const { environment, home } = yield* world(engine)
      yield* Effect.gen(function*() {
        yield* database(Effect.repeatN(row, 4))
        const head = yield* runCommand(audit["export-head"]({ verify: true }))
        assert.strictEqual(head.code, 0)
        assert.strictEqual(JSON.parse(head.out).seq, 5)
        const file = join(home, "head.json")
        writeFileSync(file, head.out)
        const current = yield* runCommand(audit.verify({ ...none, knownHead: Option.some(file) }))
        assert.deepInclude(current, { code: 0 })
        assert.include(current.out, "rows: 5 verified, from row 1")
        assert.include(current.out, "CURRENT_MATCH")
        yield* database(row)
        const grown = yield* runCommand(audit.verify({ ...none, knownHead: Option.some(head.out) }))
        assert.deepInclude(grown, { code: 4 })
        assert.include(grown.message, "VERIFIED_ANCESTOR")
        const checkpoints = join(home, "theirs.jsonl")
        writeFileSync(checkpoints, "")
        const withFile = audit.verify({ ...none, checkpoints: [checkpoints] })
        const growing = Effect.map(FileSystem.FileSystem, (fs) => ({
          ...fs,
          stream: (path: string, options?: FileSystem.StreamOptions) =>
            Stream.suspend(() => {
              appendFileSync(path, "{}\n")
              return fs.stream(path, options)
            })
        }))
        const meanwhile = yield* runCommand(Effect.provideServiceEffect(withFile, FileSystem.FileSystem, growing))
        assert.deepInclude(
          meanwhile,
          { code: 0 },
          "what is appended while the log is read may be newer than what was read of it"
        )
        assert.include((yield* runCommand(withFile)).message, "malformed")
        const key = yield* runCommand(audit["public-key"]({}))
        assert.match(key.out, /^[0-9a-f]{16} [\w-]{43}$/)
        assert.include(head.out, key.out.slice(0, 16))

        assert.include((yield* runCommand(audit["activate-chain-state"]({}))).out, "nothing to activate")
        const rotated = yield* runCommand(audit["rotate-chain-key"]({ activate: true }))
        assert.deepInclude(rotated, { code: 0 })
        assert.lengthOf(readFileSync(join(home, "audit-chain.key"), "utf8").trim().split("\n"), 2)
        assert.deepInclude(yield* runCommand(audit["retire-chain-key"]({ keyId: "0".repeat(16), lost: false })), {
          code: 1
        })
        assert.include((yield* runCommand(audit["reseal-watermark"]({ publicKey: [key.out] }))).out, "nothing to do")
        assert.include(
          (yield* runCommand(audit["export-and-delete-frozen"]({ output: join(home, "frozen.jsonl") }))).out,
          "nothing to do"
        )
        assert.include((yield* runCommand(audit["fork-cleanup"]({}))).out, "nothing to do")

        yield* database(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE audit_log SET outcome = 'deny' WHERE seq = 2`)
        )
        const broken = yield* runCommand(audit.verify({ ...none, knownHead: Option.some(head.out) }))
        assert.deepInclude(broken, {
          code: 1,
          message: "the audit log is broken: changed: row 2 was changed after it was written"
        })
        assert.include(broken.out, "INVALID")
        const json = yield* runCommand(audit.verify({ ...none, json: true }))
        assert.deepInclude(JSON.parse(json.out).problem, { kind: "changed", seq: 2 })
        const refusal = yield* runCommand(audit["export-head"]({ verify: true }))
        assert.deepInclude(refusal, { code: 1, out: "" })
      }).pipe(Effect.provideService(Environment, environment), Effect.provideService(StandardInput, Stream.empty))
    }).pipe(Effect.provide(NodeContext.layer)))
})

describe.each(laneEngines)("svc audit verify on %s", (engine) => {
  const prunedTo = (seq: number) =>
    database(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(pruneAudit((row) => row.seq <= seq))))

  it.scopedLive("ends with a code for each thing that a known head may be", () =>
    Effect.gen(function*() {
      const { environment } = yield* world(engine)
      const compared = (text: string) =>
        Effect.map(
          runCommand(audit.verify({ ...none, knownHead: Option.some(text) })),
          ({ code, out }) => [/known head: (\w+)/.exec(out)?.[1], code]
        )
      const exported = Effect.map(runCommand(audit["export-head"]({ verify: false })), ({ out }) => out)
      yield* Effect.gen(function*() {
        yield* database(Effect.repeatN(row, 2))
        const third = yield* exported
        assert.deepStrictEqual(yield* compared(third), ["CURRENT_MATCH", 0])
        yield* database(row)
        assert.deepStrictEqual(yield* compared(third), ["VERIFIED_ANCESTOR", 4])
        assert.deepStrictEqual(yield* compared("{}"), ["INVALID", 1], "of a log that is intact")
        assert.deepStrictEqual(yield* compared(third.replace("\"seq\":3", "\"seq\":4")), ["INVALID", 1])
        assert.deepStrictEqual(yield* compared(third.replace(/"key_id":"\w+"/, `"key_id":"${"0".repeat(16)}"`)), [
          "UNPROVABLE",
          3
        ])
        yield* prunedTo(3)
        assert.deepStrictEqual(yield* compared(third), ["PRUNE_MATCH", 0])
        assert.deepStrictEqual(yield* compared(yield* exported), ["CURRENT_PRUNE_MATCH", 0])
        yield* prunedTo(4)
        assert.deepStrictEqual(yield* compared(third), ["UNPROVABLE", 3])
      }).pipe(Effect.provideService(Environment, environment), Effect.provideService(StandardInput, Stream.empty))
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scopedLive("says that nothing guards the end without checkpoints, and distinguishes an outage from an alarm", () =>
    Effect.gen(function*() {
      const { environment, home } = yield* world(engine)
      const warning = "checkpoints: none, so rows deleted from the end would not be noticed"
      yield* Effect.gen(function*() {
        yield* database(row)
        assert.include((yield* runCommand(audit.verify(none))).out, warning)
        writeFileSync(join(home, "audit-checkpoints.jsonl"), "")
        assert.include((yield* runCommand(audit.verify(none))).out, warning)
        const head = yield* runCommand(audit["export-head"]({ verify: false }))
        assert.notInclude((yield* runCommand(audit.verify({ ...none, knownHead: Option.some(head.out) }))).out, warning)
        const noFile = yield* runCommand(audit.verify({ ...none, knownHead: Option.some(join(home, "nowhere")) }))
        assert.deepInclude(noFile, { code: 5, out: "" })
        assert.include(noFile.message, "the audit log was not verified: ")
        assert.deepInclude(yield* runCommand(audit.verify({ ...none, publicKey: ["short"] })), { code: 2 })
      }).pipe(Effect.provideService(Environment, environment), Effect.provideService(StandardInput, Stream.empty))
      const url = engine === "PostgreSQL" ? "postgres://127.0.0.1:1/none" : `sqlite:${join(home, "nowhere", "svc.db")}`
      const outage = yield* Effect.provideService(runCommand(audit.verify(none)), Environment, {
        ...environment,
        SVC_DATABASE_URL: url
      }).pipe(Effect.provideService(StandardInput, Stream.empty))
      assert.deepInclude(outage, { code: 5, out: "" }, outage.message)
    }).pipe(Effect.provide(NodeContext.layer)))
})

/** Mails on their way, which are sealed. */
const mails = (many: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const vault = yield* Vault
    const now = yield* Timestamp.now
    for (let n = 0; n < many; n++) {
      const id = yield* Ids.next
      const sealed = yield* vault.seal("mail_outbox", id, "{}")
      yield* sql`INSERT INTO mail_outbox ${sql.insert({ id, sealed, due_at: now, created_at: now, expires_at: now })}`
    }
  }).pipe(Effect.provide(Vault.layer.pipe(Layer.provideMerge(layerAuditLog))))

describe.each(laneEngines)("svc secret-key on %s", (engine) => {
  it.scopedLive("changes the key of one machine with one command, says what each key is for, and refuses to lose one", () =>
    Effect.gen(function*() {
      const { environment, home } = yield* world(engine)
      const file = join(home, "secret.key")
      const keys = () => readFileSync(file, "utf8").trim().split("\n")
      yield* Effect.gen(function*() {
        yield* mails(3)
        const idle = yield* runCommand(secretKey.activate({}))
        assert.deepInclude(idle, { code: 0 })
        assert.include(idle.out, "nothing to activate")
        const [first = ""] = keys()
        const rotation = yield* runCommand(secretKey.rotate({ activate: true }))
        assert.deepInclude(rotation, { code: 0 })
        const [, second = ""] = keys()
        const shown = yield* runCommand(secretKey.show({ json: true }))
        const [former, active] = JSON.parse(shown.out)
        assert.deepInclude(former, { state: "former", position: 1, secrets: 0 })
        assert.deepInclude(active, { state: "active", position: 2, secrets: 3 })
        assert.include(rotation.out, `re-encrypted: 3 secrets; encrypted with the key ${active.key_id} now: 3 secrets`)
        assert.include(rotation.out, `no longer needed: ${former.key_id} (key 1 of 2). Remove it from ${file}, `)

        const next = yield* runCommand(secretKey.rotate({ activate: false }))
        const [, , third = ""] = keys()
        assert.include(next.out, `is in ${file}, and encrypts nothing yet`)
        assert.match(
          (yield* runCommand(secretKey.show({ json: false }))).out,
          /^\w{32} former: 0 secrets; key 1 of .*secret.key\n\w{32} active: 3 secrets; key 2 .*\n\w{32} never used: 0 secrets; key 3 /
        )
        assert.include(
          (yield* runCommand(secretKey.activate({}))).out,
          `instead of ${active.key_id}. Now run svc secret-key reseal`
        )
        writeFileSync(file, third)
        const early = yield* runCommand(secretKey.reseal({}))
        assert.deepInclude(early, { code: 1 })
        assert.include(
          early.message,
          `SVC_SECRET_KEY lacks the key ${active.key_id}, and stored secrets are still sealed under it: 3`
        )
        const checked = yield* runCommand(checks.check({ json: false }))
        assert.deepInclude(checked, { code: 1 })
        assert.include(checked.out, `keys: SVC_SECRET_KEY lacks the key ${active.key_id}`)
        assert.match((yield* runCommand(secretKey.show({ json: false }))).out, /former: 3 secrets; not on this machine/)
        writeFileSync(file, second)
        assert.include((yield* runCommand(secretKey.reseal({}))).message, "which is the active encryption key")

        writeFileSync(file, `${third},${second}`)
        assert.deepInclude(yield* runCommand(secretKey.reseal({})), { code: 0 })
        const again = yield* runCommand(secretKey.reseal({}))
        assert.include(again.out, "re-encrypted: 0 secrets")
        writeFileSync(file, third)
        assert.deepInclude(yield* runCommand(checks.check({ json: false })), { code: 0 })
        const printed = [rotation, next, shown, early, checked, again].map(({ out, message }) => out + message).join(
          "\n"
        )
        for (const key of [first, second, third]) assert.notInclude(printed, key)
      }).pipe(Effect.provideService(Environment, environment), Effect.provideService(StandardInput, Stream.empty))

      const fromEnvironment = { ...environment, SVC_SECRET_KEY: readFileSync(file, "utf8") }
      const none = yield* runCommand(
        Effect.provideService(secretKey.rotate({ activate: true }), Environment, fromEnvironment)
      )
      assert.deepInclude(none, { code: 1 })
      assert.include(none.message, "SVC_SECRET_KEY comes from the environment and has no new key: add one to it")
    }).pipe(Effect.provide(NodeContext.layer)))

  it.scopedLive("names what is damaged, and keeps its key", () =>
    Effect.gen(function*() {
      const { environment } = yield* world(engine)
      yield* Effect.gen(function*() {
        yield* mails(1)
        yield* database(
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE mail_outbox SET sealed = substr(sealed, 1, 60)`)
        )
        const rotation = yield* runCommand(secretKey.rotate({ activate: true }))
        assert.deepInclude(rotation, { code: 1 })
        assert.match(rotation.out, /mail_outbox\.sealed of [0-9a-f-]{36} is damaged: no key decrypts it/)
        assert.match(rotation.message, /^some keys are still needed and must stay: \w{32} \(1 secret\)/)
      }).pipe(Effect.provideService(Environment, environment), Effect.provideService(StandardInput, Stream.empty))
    }).pipe(Effect.provide(NodeContext.layer)))
})
