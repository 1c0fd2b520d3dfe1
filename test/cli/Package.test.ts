import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { build } from "esbuild"
import { client } from "../../src/http/Client.ts"
import * as entry from "../../src/index.ts"
import { baseUrl, freshKey, freshProject, serverOn } from "../brain.ts"

/** Services that only the program's own parts use; an embedding application has no use for them. */
const inner = new Set([
  "Database",
  "Hints",
  "Leader",
  "Lease",
  "Reader",
  "RowCaps",
  "Startup",
  "AgentSessions",
  "AgentPolls",
  "AllowedHosts",
  "AuditForwarder",
  "Authentication",
  "CommandAnswers",
  "CurrentAgent",
  "Idempotency",
  "Ingest",
  "Keys",
  "Loops",
  "Mail",
  "Mfa",
  "MigrationList",
  "NodeServer",
  "Outbound",
  "PreparedReads",
  "Presence",
  "RateLimits",
  "Resolver",
  "Retention",
  "Scopes",
  "Sessions",
  "TrustedDevices",
  "Vault"
])

describe("the package's entry points", () => {
  it.effect("give every service's tag", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const missing: Array<string> = []
      for (const file of (yield* fs.readDirectory("src/services")).filter((file) => file.endsWith(".ts"))) {
        const module = yield* Effect.promise((): Promise<Readonly<Record<string, unknown>>> =>
          import(/* @vite-ignore */ `../../src/services/${file}`)
        )
        missing.push(
          ...Object.keys(module).filter((name) => Context.isTag(module[name]) && !inner.has(name) && !(name in entry))
        )
      }
      assert.deepStrictEqual(missing, [], "export it in src/index.ts, or name it as inner here")
    }).pipe(Effect.provide(NodeContext.layer)))

  it("let a browser have the API's definition: no module of Node's, no server code", async () => {
    const { metafile } = await build({
      entryPoints: ["src/http/Client.ts"],
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false,
      metafile: true,
      logLevel: "silent"
    })
    const ours = Object.keys(metafile.inputs).filter((file) => file.startsWith("src/"))
    const rooms = new Set(ours.map((file) => file.split("/")[1]))
    assert.deepStrictEqual([...rooms].toSorted(), ["domain", "http", "services"])
    assert.deepStrictEqual(ours.filter((file) => file.startsWith("src/services/")), ["src/services/CurrentActor.ts"])
  })
})

layer(serverOn("SQLite"), { excludeTestServices: true })("the derived client", (it) => {
  it.effect("calls the brain, and fails with the brain's own errors", () =>
    Effect.gen(function*() {
      const project = yield* freshProject()
      const { token } = yield* freshKey({ isAdmin: true })
      const api = yield* client({ baseUrl: yield* baseUrl, apiKey: Redacted.make(token) })
      const found = yield* api.project.get({ path: { slug: project.slug } })
      assert.strictEqual(found.id, project.id)
      const missing = yield* Effect.flip(api.project.get({ path: { slug: "no-such-project" } }))
      assert.strictEqual(missing._tag, "NotFound")
      const stranger = yield* client({ baseUrl: yield* baseUrl })
      assert.strictEqual((yield* Effect.flip(stranger.projects.list()))._tag, "Unauthenticated")
    }))
})
