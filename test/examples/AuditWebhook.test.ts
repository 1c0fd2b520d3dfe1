import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { createHmac } from "node:crypto"
import type { Server } from "node:http"
import { system } from "../../src/domain/kernel/Actor.ts"
import { Audit } from "../../src/services/audit/Audit.ts"
import { CurrentActor } from "../../src/services/kernel/CurrentActor.ts"
import { brainOn } from "../brain.ts"
import { portOf } from "../ports.ts"
import { until } from "../until.ts"

const secret = "a secret of the receiver and of one brain"
const now = 1_795_284_000

interface Row {
  readonly id: string
  readonly action?: string
}

/** The example, as its readers run it: plain JavaScript that this package's types do not know. */
const example = Effect.promise(() =>
  import(new URL("../../examples/audit-webhook/receiver.mjs", import.meta.url).href) as Promise<{
    readonly receiver: (
      options: { readonly secret: string; readonly onRow: (row: Row) => void; readonly now?: () => number }
    ) => Server
  }>
)

const running = (clock?: () => number) =>
  Effect.gen(function*() {
    const { receiver } = yield* example
    const rows: Array<Row> = []
    const server = receiver({ secret, onRow: (row) => void rows.push(row), ...(clock !== undefined && { now: clock }) })
    return { rows, url: `http://127.0.0.1:${yield* portOf(server)}/` }
  })

const signed = (id: string, timestamp = now) => {
  const body = JSON.stringify({ id })
  return {
    body,
    headers: {
      "x-svc-audit-schema": "1",
      "x-svc-audit-timestamp": String(timestamp),
      "x-svc-audit-signature": `sha256=${createHmac("sha256", secret).update(`${timestamp}.${body}`).digest("hex")}`
    }
  }
}

describe("the example of a receiver of audit rows", () => {
  it.scopedLive("takes a row once, and nothing that is old, altered or not signed", () =>
    Effect.gen(function*() {
      let seconds = now
      const { rows, url } = yield* running(() => seconds * 1000)
      const post = ({ body, headers }: { readonly body: string; readonly headers: Record<string, string> }) =>
        Effect.promise(async () => (await fetch(url, { method: "POST", body, headers })).status)
      const first = signed("1")
      assert.strictEqual(yield* post(first), 204)
      assert.strictEqual(yield* post(first), 401, "a replay")
      assert.strictEqual(yield* post(signed("2")), 204)
      assert.strictEqual(yield* post({ ...signed("3"), body: JSON.stringify({ id: "4" }) }), 401)
      for (const name of Object.keys(first.headers)) {
        const { [name]: _, ...others } = signed("5").headers as Record<string, string> // one of them is left out
        assert.strictEqual(yield* post({ body: signed("5").body, headers: others }), 401, name)
      }
      assert.strictEqual(yield* post({ body: "not JSON", headers: { ...signed("6").headers } }), 401)
      assert.strictEqual(yield* post(signed("7", now - 301)), 401)
      assert.strictEqual(yield* post(signed("8", now + 301)), 401)
      assert.strictEqual(yield* post(signed("9", now + 300)), 204)
      seconds = now + 301
      assert.strictEqual(yield* post(first), 401, "a replay that came late")
      assert.strictEqual(yield* post(signed("9", now + 300)), 401, "a replay that its timestamp would let through")
      assert.deepStrictEqual(rows, [{ id: "1" }, { id: "2" }, { id: "9" }])
    }))

  it.scopedLive("understands what a brain sends", () =>
    Effect.gen(function*() {
      const { rows, url } = yield* running()
      const settings = {
        auditWebhookUrl: Redacted.make(url),
        auditWebhookHmacSecret: Redacted.make(secret),
        webhookAllowHttp: true,
        auditWebhookAllowCidrs: ["127.0.0.1:*"]
      }
      yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const audit = yield* Audit
        yield* sql.withTransaction(audit.record({ action: "test.done", target_type: "test" }))
        yield* until(Effect.sync(() => rows.length), (count) => count === 1)
      }).pipe(Effect.provideService(CurrentActor, system("test")), Effect.provide(brainOn("SQLite", settings)))
      assert.strictEqual(rows[0]?.action, "test.done")
    }))
})
