import { FileSystem } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Layer, Option, Redacted, Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import * as Brain from "../../../src/layers/Brain.ts"
import * as Server from "../../../src/layers/Server.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import { secretKeyOf } from "../../../src/services/kernel/keys/Cipher.ts"
import { Vault } from "../../../src/services/kernel/keys/Keys.ts"
import { countSealedByKey, sealedColumns } from "../../../src/services/kernel/keys/SealedColumns.ts"
import { Mail } from "../../../src/services/kernel/Mail.ts"
import { Settings, type SettingsShape } from "../../../src/services/kernel/Settings.ts"
import { Health } from "../../../src/services/operations/Health.ts"
import { activateSecretKey, NextKeyMissing, stageSecretKey } from "../../../src/services/operations/KeyRotation.ts"
import { listStaleIds, resealSlice, resealStoredSecrets } from "../../../src/services/operations/KeyRotation/Reseal.ts"
import { connected, freshAgent } from "../../agent.ts"
import { baseUrl, freshKey, freshProject, request } from "../../brain.ts"
import { engines, settingsOn } from "../../databases.ts"
import { ask, enrolled, loginFrom, nextCode } from "../../http/mfa.ts"
import { proxied } from "../../http/people.ts"
import { smtpServer } from "../../mailbox.ts"
import { until } from "../../until.ts"

const bytes = (byte: number) => Buffer.alloc(32, byte)
const text = (byte: number) => bytes(byte).toString("base64url")
const idOf = (byte: number) => secretKeyOf(bytes(byte)).key_id

/** A brain with a server over the suite's database, with these settings besides; stopped with the scope, or before. */
const replica = (overrides: Partial<SettingsShape>) =>
  Effect.gen(function*() {
    const settings = { ...yield* Settings, ...overrides }
    const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
    const brain = Server.layer.pipe(
      Layer.provideMerge(Brain.layer),
      Layer.provideMerge(Layer.succeed(Settings, settings))
    )
    const context = yield* Scope.extend(Layer.build(Layer.fresh(brain)), scope)
    return { context, stop: Scope.close(scope, Exit.void) }
  })

const withKeys = (...keys: ReadonlyArray<number>) => ({ secretKey: Redacted.make(keys.map(text).join(",")) })

/** Why a brain with these settings does not start. */
const refusal = (overrides: Partial<SettingsShape>) =>
  Effect.map(Effect.flip(Effect.sandbox(Effect.scoped(replica(overrides)))), (cause) => Cause.pretty(cause))

const asCli = Effect.provideService(CurrentActor, system("svc secret-key"))

const actions = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ action: string }>`SELECT action FROM audit_log WHERE action LIKE 'secrets.%' ORDER BY seq`
)

const agentsPlace = sealedColumns[0]!

describe.each(engines)("the key of stored secrets on %s", (engine) => {
  layer(settingsOn(engine, proxied), { excludeTestServices: true })((it) => {
    it.scoped(
      "changes while replicas restart one after the other, and nothing is lost or refused",
      () =>
        Effect.gen(function*() {
          const smtp = yield* smtpServer()
          const common = { smtpUrl: smtp.url, commandTimeout: 600 }
          /** Two on PostgreSQL; a SQLite file has one. */
          const start = (...keys: ReadonlyArray<number>) => replica({ ...common, ...withKeys(...keys) })
          let one = yield* start(1)
          let two = engine === "PostgreSQL" ? yield* start(1) : one
          const roll = (...keys: ReadonlyArray<number>) =>
            Effect.gen(function*() {
              yield* one.stop
              one = yield* start(...keys)
              if (engine === "PostgreSQL") yield* two.stop
              two = engine === "PostgreSQL" ? yield* start(...keys) : one
            })
          const atOne = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(work, one.context)
          const atTwo = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(work, two.context)
          const starting = (...keys: ReadonlyArray<number>) =>
            Effect.zipRight(engine === "SQLite" ? one.stop : Effect.void, refusal(withKeys(...keys)))

          // what is sealed under the first key
          const project = yield* atOne(freshProject())
          const { token } = yield* atOne(freshKey({ isAdmin: true, roles: { [project.id]: "admin" } }))
          const agent = yield* atOne(freshAgent(project, "first"))
          yield* smtp.stop
          const person = yield* atOne(enrolled()) // who gets a mail about it
          yield* atOne(Effect.flatMap(Mail, (mail) =>
            Effect.flatMap(Timestamp.now, (now) =>
              mail.enqueue(
                { to: "ann@example.com", subject: "Waiting", text: "Sealed." },
                Timestamp.addSeconds(now, 86_400)
              ))))
          const retry = request("POST", `/projects/${project.slug}/commands/retry-task`, {
            token,
            body: {
              agent_id: agent.agent_id,
              engine: "celery",
              task_id: "t",
              override_args: ["hidden"],
              override_kwargs: {},
              idempotency_key: "retry"
            }
          })
          const issued = yield* atOne(retry)
          assert.strictEqual(issued.status, 202, issued.text)
          const create = request("POST", "/projects", {
            token,
            body: { slug: `made-${engine.toLowerCase()}`, name: "Made" },
            headers: { "idempotency-key": "create" }
          })
          const created = yield* atOne(create)
          assert.strictEqual(created.status, 201, created.text)
          yield* Effect.forEach(Array.from({ length: 60 }), () => atOne(freshAgent(project)), {
            concurrency: 10,
            discard: true
          })
          assert.deepStrictEqual(new Map(yield* atOne(countSealedByKey)), new Map([[idOf(1), 67]]))

          // the next key is given to each, and nothing seals with it before that
          assert.instanceOf(yield* Effect.flip(atOne(asCli(stageSecretKey))), NextKeyMissing)
          assert.isNull(yield* atOne(asCli(activateSecretKey)))
          assert.include(yield* starting(2), "SVC_SECRET_KEY is not the key this database was written with")
          yield* roll(1, 2)
          yield* atTwo(freshAgent(project, "before"))
          assert.strictEqual((yield* atOne(countSealedByKey)).get(idOf(1)), 68)
          const ready = yield* atTwo(Effect.flatMap(Health, (health) => health.deepHealth()))
          assert.deepInclude(ready.checks.secret_key, {
            status: "ok",
            detail: `an unused next key is available: ${idOf(2)}`
          })

          // it seals from here on, at both
          assert.deepStrictEqual(yield* atOne(asCli(activateSecretKey)), { from: idOf(1), to: idOf(2) })
          assert.isNull(yield* atTwo(asCli(activateSecretKey)), "the first key is not taken for a new one")
          const later = yield* atTwo(freshAgent(project, "later"))
          assert.deepStrictEqual(new Map(yield* atOne(countSealedByKey)), new Map([[idOf(1), 68], [idOf(2), 1]]))
          for (const runAt of [atOne, atTwo]) {
            assert.strictEqual((yield* runAt(create)).text, created.text)
            assert.strictEqual((yield* runAt(retry)).json.id, issued.json.id)
          }

          // broken off after a slice, and begun again
          const ids = yield* atOne(listStaleIds(agentsPlace))
          assert.lengthOf(ids, 62)
          assert.deepStrictEqual(yield* atOne(asCli(resealSlice(agentsPlace, ids.slice(0, 50)))), {
            resealed: 50,
            damaged: [],
            withoutKey: 0
          })
          assert.deepInclude(yield* atOne(asCli(resealSlice(agentsPlace, ids.slice(0, 50)))), { resealed: 0 })
          assert.include(
            yield* starting(1),
            `SVC_SECRET_KEY lacks the key ${idOf(2)}, which is the active encryption key`
          )
          assert.include(
            yield* starting(2),
            `SVC_SECRET_KEY lacks the key ${idOf(1)}, and stored secrets are still sealed under it: 18`
          )
          yield* roll(2, 1)
          const done = yield* atTwo(asCli(resealStoredSecrets))
          assert.deepInclude(done, { resealed: 18, damaged: [], isComplete: true })
          assert.deepStrictEqual(new Map(yield* atOne(countSealedByKey)), new Map([[idOf(2), 69]]))
          assert.deepInclude(yield* atOne(asCli(resealStoredSecrets)), { resealed: 0 })
          const actionNames = (yield* atOne(actions)).map(({ action }) => action)
          assert.deepStrictEqual(actionNames.slice(0, 3), [
            "secrets.key_rotated",
            "secrets.resealed",
            "secrets.resealed"
          ])

          // without the first key all is as it was
          yield* roll(2)
          for (const { hmac_secret, token } of [agent, later]) {
            const line = yield* connected({ base: yield* atTwo(baseUrl), token, hmac_secret })
            if (token !== agent.token) continue
            const command = yield* Effect.promise(() => line.command("retry_task"))
            assert.deepStrictEqual(command.parameters.override_args, ["hidden"])
          }
          for (const runAt of [atOne, atTwo]) {
            assert.strictEqual((yield* runAt(create)).text, created.text)
            assert.strictEqual((yield* runAt(retry)).json.id, issued.json.id)
            const other = yield* runAt(
              request("POST", "/projects", {
                token,
                body: { slug: "other", name: "O" },
                headers: { "idempotency-key": "create" }
              })
            )
            assert.strictEqual(other.json.code, "idempotency_conflict")
          }
          const { browser } = yield* atTwo(loginFrom({}, person.email))
          const verified = yield* atTwo(
            ask(browser, "POST", "/auth/mfa/verify", { code: yield* atTwo(nextCode(person)) })
          )
          assert.strictEqual(verified.status, 200, verified.text)
          yield* smtp.start
          yield* atOne(
            Effect.flatMap(SqlClient.SqlClient, (sql) =>
              Effect.flatMap(Timestamp.now, (now) => sql`UPDATE mail_outbox SET due_at = ${now}`))
          )
          yield* until(
            Effect.sync(() =>
              smtp.received.filter(({ to }) => to.includes("ann@example.com"))
            ),
            ([mail]) => mail?.text.trim() === "Sealed."
          )
        })
    )
  })

  layer(settingsOn(engine), { excludeTestServices: true })((it) => {
    it.scoped("is added to its file and taken from there by a brain that runs; what is damaged is named", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const { home } = yield* Settings
        const file = join(home, "secret.key")
        const keysInFile = () => readFileSync(file, "utf8").trim().split("\n")
        const { context } = yield* replica({})
        const sql = Context.get(context, SqlClient.SqlClient)
        const { open, seal } = Context.get(context, Vault)
        const here = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.provide(asCli(work), context)
        const project = yield* here(freshProject())
        const { agent_id } = yield* here(freshAgent(project))

        const stored = sql<{ hmac_secret: string }>`SELECT hmac_secret FROM agents WHERE id = ${agent_id}`
        const [before] = yield* stored
        const [first = ""] = before?.hmac_secret.split(".") ?? []
        const secret = yield* open("agents.hmac_secret", agent_id, before?.hmac_secret ?? "")
        assert.strictEqual((yield* here(countSealedByKey)).get(first), 1)

        // the brain may run as another user than the command
        const owner = process.getuid?.() === 0 ? 12_345 : process.getuid?.() ?? 0
        yield* fs.chown(file, owner, process.getgid?.() ?? 0)
        const second = yield* here(stageSecretKey)
        assert.lengthOf(keysInFile(), 2)
        assert.deepStrictEqual((yield* fs.stat(file)).uid, Option.some(owner))
        assert.strictEqual((yield* fs.stat(file)).mode & 0o777, 0o600)
        assert.strictEqual(yield* here(stageSecretKey), second, "it waits for activate")
        yield* fs.writeFileString(file, [...keysInFile(), text(7)].join("\n")) // another program staged one more
        yield* here(activateSecretKey)
        yield* sql`UPDATE key_fingerprints SET fingerprint = ${idOf(7)} WHERE name = 'SVC_SECRET_KEY'`
        assert.match(yield* seal("mail_outbox", agent_id, "x"), new RegExp(`^${idOf(7)}\\.`))
        const { resealed, under } = yield* here(resealStoredSecrets)
        assert.strictEqual(resealed, 1)
        assert.deepStrictEqual(new Map(under), new Map([[idOf(7), 1]]))
        const [after] = yield* stored
        assert.strictEqual(yield* open("agents.hmac_secret", agent_id, after?.hmac_secret ?? ""), secret)

        yield* Effect.flip(open("mail_outbox", agent_id, after?.hmac_secret ?? "")) // sealed for another place
        yield* sql`UPDATE agents SET hmac_secret = ${`${first}.${"A".repeat(60)}`} WHERE id = ${agent_id}`
        const found = yield* here(resealStoredSecrets)
        assert.deepInclude(found, {
          resealed: 0,
          damaged: [{ column: "agents.hmac_secret", id: agent_id }],
          isComplete: true
        })
        assert.strictEqual(found.under.get(first), 1)
        yield* sql`UPDATE agents SET hmac_secret = 'no key is named' WHERE id = ${agent_id}`
        assert.deepInclude(yield* here(resealStoredSecrets), {
          damaged: [{ column: "agents.hmac_secret", id: agent_id }],
          isComplete: true
        })
        yield* sql`UPDATE key_fingerprints SET fingerprint = ${idOf(9)} WHERE name = 'SVC_SECRET_KEY'`
        const missing = yield* Effect.flip(Effect.sandbox(seal("mail_outbox", agent_id, "x")))
        assert.include(
          Cause.pretty(missing),
          `sealed with the key ${idOf(9)}, which SVC_SECRET_KEY of this process does not have`
        )
        const { checks } = yield* Effect.flatMap(Health, (health) => health.deepHealth()).pipe(Effect.provide(context))
        assert.strictEqual(checks.secret_key?.status, "failed")
      }))
  })
})

describe("the key of stored secrets, with two replicas", () => {
  layer(settingsOn("PostgreSQL"), { excludeTestServices: true })((it) => {
    it.scoped("is changed once transactions that sealed under the old one have committed, and rows in use come later", () =>
      Effect.gen(function*() {
        const [one, two] = [yield* replica(withKeys(1, 2)), yield* replica(withKeys(1, 2))]
        const project = yield* Effect.provide(freshProject(), one.context)
        const { agent_id } = yield* Effect.provide(freshAgent(project), one.context)
        yield* Effect.provide(freshAgent(project), one.context)
        const sql = Context.get(one.context, SqlClient.SqlClient)
        const vault = Context.get(one.context, Vault)
        const [sealed, commit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
          const newSecret = yield* vault.seal("agents.hmac_secret", agent_id, "a new one")
          yield* sql`UPDATE agents SET hmac_secret = ${newSecret} WHERE id = ${agent_id}`
          yield* Deferred.succeed(sealed, undefined)
          yield* Deferred.await(commit)
        })))
        yield* Deferred.await(sealed)
        const changing = yield* Effect.fork(Effect.provide(asCli(activateSecretKey), two.context))
        const waiting =
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
        yield* until(waiting, (rows) => rows.length === 1)
        assert.isTrue(Option.isNone(yield* Fiber.poll(changing)))
        yield* Deferred.succeed(commit, undefined)
        yield* Fiber.join(slow)
        assert.deepStrictEqual(yield* Fiber.join(changing), { from: idOf(1), to: idOf(2) })

        const [taken, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const holder = yield* Effect.fork(sql.withTransaction(Effect.gen(function*() {
          yield* sql`SELECT 1 FROM agents WHERE id = ${agent_id} FOR UPDATE`
          yield* Deferred.succeed(taken, undefined)
          yield* Deferred.await(release)
        })))
        yield* Deferred.await(taken)
        const resealing = yield* Effect.fork(Effect.provide(asCli(resealStoredSecrets), two.context))
        yield* until(Effect.provide(countSealedByKey, two.context), (counts) => counts.get(idOf(2)) === 1)
        yield* Deferred.succeed(release, undefined)
        yield* Fiber.join(holder)
        assert.deepInclude(yield* Fiber.join(resealing), { resealed: 2, isComplete: true })
        const [row] = yield* sql<{ hmac_secret: string }>`SELECT hmac_secret FROM agents WHERE id = ${agent_id}`
        assert.strictEqual(yield* vault.open("agents.hmac_secret", agent_id, row?.hmac_secret ?? ""), "a new one")
      }))
  })
})
