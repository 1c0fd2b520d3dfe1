import { assert, describe, it } from "@effect/vitest"
import BetterSqlite3 from "better-sqlite3"
import { Effect } from "effect"
import { join } from "node:path"
import { temporaryHome } from "../databases.ts"
import { has } from "../needs.ts"
import { assertRefused, ok } from "./remote.ts"
import { onTerminal } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const hasTerminal = await has("script")

const email = "ann@example.com"

/** A home whose first admin has a second factor, and what is left of it. */
const home = Effect.gen(function*() {
  const settings = { SVC_HOME: yield* temporaryHome }
  ok(
    yield* svcHere(["bootstrap-admin", "--email", email, "--password-stdin"], settings, { input: "a long password\n" })
  )
  const db = yield* Effect.acquireRelease(
    Effect.sync(() => new BetterSqlite3(join(settings.SVC_HOME, "svc.db"))),
    (db) => Effect.sync(() => db.close())
  )
  const at = "2026-01-01T00:00:00.000000Z"
  db.exec(`UPDATE users SET mfa_secret = 'sealed', mfa_enrolled_at = '${at}', mfa_enforcement_started_at = '${at}';
    INSERT INTO mfa_recovery_codes SELECT id, 'hash' FROM users;
    INSERT INTO trusted_devices SELECT 'd', id, 'hash', 'laptop', '${at}', '${at}', '9${at.slice(1)}', NULL FROM users;
    INSERT INTO sessions (id, user_id, token_hash, remember_me, issued_at, last_seen_at, expires_at, ip_at_issue)
      SELECT 's', id, 'hash', 0, '${at}', '${at}', '9${at.slice(1)}', '' FROM users`)
  const left = () =>
    db.prepare(`SELECT mfa_secret IS NOT NULL AS secret, mfa_enforcement_started_at IS NOT NULL AS anchor,
      (SELECT count(*) FROM mfa_recovery_codes) AS codes,
      (SELECT count(*) FROM trusted_devices WHERE revoked_at IS NULL) AS devices,
      (SELECT count(*) FROM sessions WHERE revoked_at IS NULL) AS sessions,
      (SELECT count(*) FROM audit_log WHERE action = 'user.mfa_reset_by_admin') AS audited FROM users`).get()
  return { settings, left }
})

const all = { secret: 1, anchor: 1, codes: 1, devices: 1, sessions: 1, audited: 0 }
const none = { secret: 0, anchor: 1, codes: 0, devices: 0, sessions: 0, audited: 1 }

describe("svc reset-mfa", () => {
  it.scoped("removes the factor with --yes or --confirm, and nothing without", () =>
    Effect.gen(function*() {
      const { left, settings } = yield* home
      assertRefused(yield* svcHere(["reset-mfa", email], settings), "To confirm without a terminal, add --yes", 2)
      assertRefused(yield* svcHere(["reset-mfa", "nobody@example.com", "--confirm"], settings), "No such user")
      assert.deepStrictEqual(left(), all)
      assert.include(
        ok(yield* svcHere(["reset-mfa", "Ann@Example.com", "--confirm"], settings)),
        `removed the second factor of ${email}`
      )
      assert.deepStrictEqual(left(), none)
      assert.include(
        ok(yield* svcHere(["reset-mfa", email, "--yes"], settings)),
        "has no second factor; nothing was done"
      )
      assert.deepStrictEqual(left(), none)
    }))

  it.scoped.skipIf(!hasTerminal)("asks a person", () =>
    Effect.gen(function*() {
      const { left, settings } = yield* home
      const { code, shown } = yield* onTerminal(["reset-mfa", email], settings, {
        prompt: "the password alone signs in",
        typed: "y\r"
      })
      assert.strictEqual(code, 0, shown)
      assert.deepStrictEqual(left(), none)
    }))
})
