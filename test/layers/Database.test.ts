import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { parseDatabaseUrl } from "../../src/layers/Database.ts"

describe("what is shown of a PostgreSQL address", () => {
  it.effect.each([
    "postgresql://ann:hidden@db.example.com/svc",
    "postgresql://db.example.com/svc?user=ann&password=hidden",
    "postgresql://db.example.com/svc?password=other&password=hidden",
    "postgresql://ann@db.example.com/svc?sslmode=require&sslpassword=hidden"
  ])("has no password: %s", (url) =>
    Effect.gen(function*() {
      const location = yield* parseDatabaseUrl(Redacted.make(url), "/nowhere")
      assert.strictEqual(location.dialect, "pg")
      const shown = location.dialect === "pg" ? location.redactedUrl : ""
      assert.include(shown, "db.example.com/svc")
      assert.notInclude(shown, "hidden")
    }))
})
