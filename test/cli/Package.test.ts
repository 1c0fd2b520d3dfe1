import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { build } from "esbuild"
import * as agent from "../../src/agent.ts"
import * as bullmq from "../../src/agent/engines/bullmq/BullMQ.ts"
import * as effectQueue from "../../src/agent/engines/effect-queue/EffectQueue.ts"
import * as standalone from "../../src/agent/standalone/Agent.ts"
import * as standaloneBullmq from "../../src/agent/standalone/BullMQ.ts"
import * as http from "../../src/http/Client.ts"
import * as entry from "../../src/index.ts"
import { baseUrl, freshKey, freshProject, serverOn } from "../brain.ts"

/** Services that only the program's own parts use; an embedding application has no use for them. */
const inner = new Set([
  "Answers",
  "AuditOutbound",
  "Database",
  "Hints",
  "Leader",
  "Lease",
  "Reader",
  "RowCaps",
  "Startup",
  "AgentSessions",
  "AgentLongPoll",
  "AllowedHosts",
  "ApprovalGate",
  "Approved",
  "AuditForwarder",
  "Authentication",
  "BackchannelLogout",
  "CommandAnswers",
  "CurrentAgent",
  "DashboardPages",
  "Idempotency",
  "Ingest",
  "Keys",
  "Loops",
  "Mail",
  "MemberNames",
  "Mfa",
  "MigrationList",
  "NodeServer",
  "NpmClient",
  "Oidc",
  "Outbound",
  "PreparedReads",
  "Restore",
  "Presence",
  "RateLimits",
  "Releases",
  "Reset",
  "Resolver",
  "Retention",
  "SchemaTables",
  "Scopes",
  "Sessions",
  "TriggerEvents",
  "Upgrade",
  "TrustedDevices",
  "Vault"
])

const entries: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  svc: entry,
  "svc/http": http,
  "svc/agent": agent,
  "svc/agent/bullmq": bullmq,
  "svc/agent/effect-queue": effectQueue,
  "svc-agent": standalone,
  "svc-agent/bullmq": standaloneBullmq,
  "svc-agent/effect": agent,
  "svc-agent/effect/bullmq": bullmq,
  "svc-agent/effect/queue": effectQueue
}

/** What a page imports of the entry points: the entry, and the name. */
const importsOf = (text: string): ReadonlyArray<readonly [entry: string, name: string]> =>
  [...text.matchAll(/import \{([^}]*)\} from "(svc[^"]*)"/g)].flatMap(([, names = "", from = ""]) =>
    names.split(",").map((name) => name.trim()).filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => [from, name.split(" as ")[0] ?? name] as const)
  )

/** Members that pages name of exports that are namespaces or tags, as in `Brain.layer`. */
const namespaces: Readonly<Record<string, unknown>> = {
  Brain: entry.Brain,
  Server: entry.Server,
  Telemetry: entry.Telemetry,
  Agent: agent.Agent,
  EffectQueue: effectQueue
}
const membersOf = (text: string): ReadonlyArray<readonly [namespace: string, member: string]> =>
  [...text.matchAll(/(?<![./\w])(Brain|Server|Telemetry|Agent|EffectQueue)\.([a-z]\w*)(?=[^\w./])/g)].map(
    ([, namespace = "", member = ""]) => [namespace, member]
  )

describe("the package's entry points", () => {
  it.effect("export what the documents and the examples name", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      const missing: Array<string> = []
      const docs = (yield* fs.readDirectory("docs")).filter((file) => file.endsWith(".md")).map((file) =>
        `docs/${file}`
      )
      const examples = (yield* fs.readDirectory("examples", { recursive: true }))
        .filter((file) => /\.m?[jt]s$/.test(file) && !/node_modules|dist/.test(file)).map((file) => `examples/${file}`)
      const found = { imports: 0, members: 0 }
      for (const file of ["README.md", "packages/agent/README.md", ...docs, ...examples]) {
        const text = yield* fs.readFileString(file)
        for (const [from, name] of importsOf(text)) {
          found.imports++
          if (!(name in (entries[from] ?? {}))) missing.push(`${file}: ${name} of ${from}`)
        }
        for (const [namespace, member] of membersOf(text)) {
          found.members++
          if (Reflect.get(Object(namespaces[namespace]), member) === undefined) {
            missing.push(`${file}: ${namespace}.${member}`)
          }
        }
      }
      assert.deepStrictEqual(missing, [])
      assert.isAbove(found.imports, 20)
      assert.isAbove(found.members, 10)
    }).pipe(Effect.provide(NodeContext.layer)))

  it("export nothing internal", () => {
    const leaked = Object.entries(entries).flatMap(([name, exports]) =>
      Object.keys(exports).filter((each) => inner.has(each)).map((each) => `${each} of ${name}`)
    )
    assert.deepStrictEqual(leaked, [])
  })

  it.effect("are those of each package.json", () =>
    Effect.gen(function*() {
      const fs = yield* FileSystem.FileSystem
      for (const [folder, name] of [[".", "svc"], ["packages/agent", "svc-agent"]] as const) {
        const { exports }: { readonly exports: object } = JSON.parse(
          yield* fs.readFileString(`${folder}/package.json`)
        )
        const published = Object.keys(exports).filter((path) => path !== "./package.json")
          .map((path) => path.replace(/^\./, name))
        assert.sameMembers(published, Object.keys(entries).filter((path) => path.split("/")[0] === name))
      }
    }).pipe(Effect.provide(NodeContext.layer)))

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
    assert.deepStrictEqual(ours.filter((file) => file.startsWith("src/services/")), [
      "src/services/kernel/CurrentActor.ts"
    ])
  })
})

layer(serverOn("SQLite"), { excludeTestServices: true })("the derived client", (it) => {
  it.effect("calls the brain, and fails with the brain's own errors", () =>
    Effect.gen(function*() {
      const project = yield* freshProject()
      const { token } = yield* freshKey({ isAdmin: true })
      const api = yield* http.client({ baseUrl: yield* baseUrl, apiKey: Redacted.make(token) })
      const found = yield* api.project.get({ path: { slug: project.slug } })
      assert.strictEqual(found.id, project.id)
      const missing = yield* Effect.flip(api.project.get({ path: { slug: "no-such-project" } }))
      assert.strictEqual(missing._tag, "NotFound")
      const stranger = yield* http.client({ baseUrl: yield* baseUrl })
      assert.strictEqual((yield* Effect.flip(stranger.projects.list()))._tag, "Unauthenticated")
    }))
})
