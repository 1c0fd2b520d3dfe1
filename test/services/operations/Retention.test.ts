import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { type Clock, Effect, Option } from "effect"
import { system } from "../../../src/domain/kernel/Actor.ts"
import * as Timestamp from "../../../src/domain/kernel/Timestamp.ts"
import { Audit } from "../../../src/services/audit/Audit.ts"
import { verifyLog } from "../../../src/services/audit/Verify.ts"
import { CurrentActor } from "../../../src/services/kernel/CurrentActor.ts"
import * as Ids from "../../../src/services/kernel/Ids.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { Retention } from "../../../src/services/operations/Retention.ts"
import { brainOn, freshKey, freshProject } from "../../brain.ts"
import { engines } from "../../databases.ts"

const daysAgo = (days: number) => Effect.map(Timestamp.now, (now) => Timestamp.addSeconds(now, -days * 86_400))

/** The wall clock as it was then. */
const clockDaysAgo = (days: number) =>
  Effect.map(Effect.clock, (clock): Clock.Clock =>
    Object.assign(Object.create(clock), {
      unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - days * 86_400_000
    }))

const session = (user_id: string, ended: { readonly expires_at: string; readonly revoked_at: string | null }) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const id = yield* Ids.next
    const at = yield* daysAgo(90)
    yield* sql`INSERT INTO sessions ${
      sql.insert({
        id,
        user_id,
        token_hash: id,
        remember_me: 0,
        issued_at: at,
        last_seen_at: at,
        ip_at_issue: "",
        ...ended
      })
    }`
    return id
  })

describe.each(engines)("retention on %s", (engine) => {
  layer(brainOn(engine, { auditRetentionDays: 30 }), { excludeTestServices: true })((it) => {
    it.effect("forgets sessions that ended long ago, and no others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const retention = yield* Retention
        const { user_id } = yield* freshKey()
        const [old, recent, future] = [yield* daysAgo(31), yield* daysAgo(29), yield* daysAgo(-1)]
        yield* session(user_id, { expires_at: old, revoked_at: null })
        yield* session(user_id, { expires_at: future, revoked_at: old })
        const kept = [
          yield* session(user_id, { expires_at: recent, revoked_at: null }),
          yield* session(user_id, { expires_at: future, revoked_at: recent }),
          yield* session(user_id, { expires_at: future, revoked_at: null })
        ]
        yield* retention.sweep()
        const rows = yield* sql<{ id: string }>`SELECT id FROM sessions WHERE user_id = ${user_id} ORDER BY id`
        assert.sameMembers(rows.map(({ id }) => id), kept)
      }))

    it.effect("forgets API keys that were revoked or ran out long ago, and no others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const retention = yield* Retention
        const [old, recent] = [yield* daysAgo(91), yield* daysAgo(89)]
        const ended = (columns: Record<string, string>) =>
          Effect.tap(freshKey(), ({ user_id }) =>
            sql`UPDATE api_keys SET ${sql.update(columns)} WHERE user_id = ${user_id}`)
        yield* Effect.all([ended({ expires_at: old }), ended({ revoked_at: old })])
        const kept = yield* Effect.all([
          freshKey(),
          ended({ expires_at: recent }),
          ended({ revoked_at: recent, expires_at: recent })
        ])
        yield* retention.sweep()
        const before = yield* daysAgo(1)
        const rows = yield* sql<
          { user_id: string }
        >`SELECT user_id FROM api_keys WHERE expires_at < ${before} OR revoked_at < ${before}`
        assert.sameMembers(
          rows.map(({ user_id }) =>
            user_id
          ),
          kept.slice(1).map(({ user_id }) => user_id)
        )
        assert.strictEqual((yield* sql`SELECT 1 FROM api_keys WHERE user_id = ${kept[0].user_id}`).length, 1)
      }))

    it.effect("finds what has ended, and what hangs on something that goes, by an index", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        const old = sql`expires_at < ${now} OR revoked_at < ${now}`
        for (const table of ["sessions", "trusted_devices", "api_keys"]) {
          const found = sql`SELECT id FROM ${sql(table)} WHERE ${old} LIMIT 1000`
          const plan = yield* sql.withTransaction(sql.onDialectOrElse({
            // a table of a few rows is read whole otherwise
            pg: () => Effect.zipRight(sql`SET LOCAL enable_seqscan = off`, sql`EXPLAIN ${found}`),
            orElse: () => sql`EXPLAIN QUERY PLAN ${found}`
          }))
          for (const index of [`${table}_expires`, `${table}_revoked`]) assert.include(JSON.stringify(plan), index)
        }
        const unindexed = yield* sql.onDialectOrElse({
          pg: () =>
            sql`SELECT c.conrelid::regclass::text AS name, a.attname AS key
              FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
              WHERE c.contype = 'f' AND c.conparentid = 0
                AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = c.conkey[1])`,
          orElse: () =>
            sql`SELECT m.name, f."from" AS key FROM sqlite_master m, pragma_foreign_key_list(m.name) f
              WHERE m.type = 'table' AND NOT EXISTS (
                SELECT 1 FROM pragma_index_list(m.name) l, pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = f."from")`
        })
        assert.deepStrictEqual(unindexed, [], "foreign keys that a deletion looks for in the whole table")
      }))

    it.effect("continues after a table whose rows cannot be deleted, and fails at the end", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const { sweep } = yield* Retention
        const at = yield* daysAgo(1)
        yield* sql`INSERT INTO setup_tokens ${
          sql.insert({ id: yield* Ids.next, token_hash: "ended", created_at: at, expires_at: at })
        }`
        const rename = (from: string, to: string) => sql`ALTER TABLE ${sql(from)} RENAME TO ${sql(to)}`
        const { _tag } = yield* Effect.acquireUseRelease(
          rename("login_places", "elsewhere"),
          () => Effect.exit(sweep()),
          () => Effect.orDie(rename("elsewhere", "login_places"))
        )
        assert.strictEqual(_tag, "Failure")
        assert.deepStrictEqual(yield* sql`SELECT id FROM setup_tokens`, [])
        yield* sweep()
      }))

    // before any other row: times rise along the log, so that nothing old follows on a new one
    it.effect("prunes the audit log from its beginning, and says where the rest hangs", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const audit = yield* Audit
        const retention = yield* Retention
        const actor = system("test")
        const append = (rows: number) =>
          sql.withTransaction(
            audit.recordAll(
              Array.from({ length: rows }, () => ({ actor, entry: { action: "test.done", target_type: "test" } }))
            )
          )
        yield* Effect.withClock(append(1050), yield* clockDaysAgo(31))
        yield* append(50)
        const [last] = yield* sql<
          { row_hash: string; row_hmac: string }
        >`SELECT row_hash, row_hmac FROM audit_log WHERE seq = 1050`
        yield* Effect.all([retention.pruneOldAudit(), retention.pruneOldAudit()], { concurrency: "unbounded" })
        const rows = yield* sql<{ seq: number; prev_row_hmac: string; metadata: string; action: string }>`
          SELECT seq, prev_row_hmac, metadata, action FROM audit_log ORDER BY seq`
        assert.deepStrictEqual([rows[0]?.seq, rows[0]?.prev_row_hmac], [1051, last?.row_hmac])
        const pruned = rows.filter(({ action }) => action === "audit.pruned").map(({ metadata }) =>
          JSON.parse(metadata)
        )
        assert.strictEqual(pruned.reduce((sum, { rows }) => sum + rows, 0), 1050)
        assert.deepInclude(pruned[pruned.length - 1], {
          by: "retention",
          last_seq: 1050,
          last_row_hash: last?.row_hash,
          last_row_hmac: last?.row_hmac
        })
        yield* retention.pruneOldAudit()
        const [count] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM audit_log`
        assert.strictEqual(count?.n, rows.length)
        const found = yield* verifyLog(sql, yield* Keys)
        assert.deepInclude(Option.getOrThrow(found), { rows: rows.length, problem: null })
      }).pipe(Effect.provideService(CurrentActor, system("test"))))

    it.effect("forgets links, invitations and mail that ran out, and no others", () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const retention = yield* Retention
        const { user_id } = yield* freshKey()
        const project_id = (yield* freshProject()).id
        const created_at = yield* daysAgo(90)
        const put = (table: string, columns: Record<string, string>) =>
          Effect.gen(function*() {
            const id = yield* Ids.next
            yield* sql`INSERT INTO ${sql(table)} ${sql.insert({ id, created_at, ...columns })}`
            return id
          })
        const days = {
          old: yield* daysAgo(31),
          recent: yield* daysAgo(29),
          yesterday: yield* daysAgo(2),
          now: yield* daysAgo(0),
          future: yield* daysAgo(-1)
        }
        const reset = (expires_at: string) => put("password_resets", { user_id, token_hash: expires_at, expires_at })
        const invitation = (expires_at: string) =>
          put("invitations", {
            project_id,
            email: expires_at,
            email_key: expires_at,
            role: "viewer",
            token_hash: expires_at,
            expires_at
          })
        const mail = (expires_at: string) => put("mail_outbox", { sealed: "", due_at: created_at, expires_at })
        const request = (created_at: string) =>
          put("password_reset_requests", { email_key: "a@example.com", created_at })
        yield* Effect.all([reset(days.now), invitation(days.old), mail(days.yesterday), request(days.yesterday)])
        const kept = {
          password_resets: yield* reset(days.future),
          invitations: yield* invitation(days.recent),
          mail_outbox: yield* mail(days.now),
          password_reset_requests: yield* request(days.now)
        }
        yield* retention.sweep()
        for (const [table, id] of Object.entries(kept)) {
          assert.deepStrictEqual(yield* sql`SELECT id FROM ${sql(table)}`, [{ id }], table)
        }
      }))
  })
})
