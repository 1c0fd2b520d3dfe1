import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Agent from "../../src/agent/runtime/Agent.ts"
import { MemoryEngine } from "../agent/engines/memory.ts"
import { temporaryHome } from "../databases.ts"
import { adminKey } from "../e2e/brainProcess.ts"
import { callAt } from "../e2e/calls.ts"
import { site } from "../e2e/site.ts"
import { until } from "../until.ts"
import { examplePrograms, root, running, shortest, source } from "./programs.ts"

it.scopedLive("the embedding example: its own page, the brain's API, a reaction to tasks, a rule of its own, a clean end", () =>
  Effect.gen(function*() {
    const folder = yield* examplePrograms
    const { env } = yield* site("SQLite")
    const app = yield* running(join(folder, "main.js"), env)
    const output = yield* until(Effect.sync(app.output), (text) => /listening at http/.test(text))
    const url = (/listening at (http\S+)/.exec(output)?.[1] ?? "").replace("0.0.0.0", "127.0.0.1")

    const page = yield* Effect.promise(() => fetch(`${url}/`))
    assert.match(yield* Effect.promise(() => page.text()), /projects: .*shop/)
    assert.isNull(
      page.headers.get("content-security-policy"),
      "the brain's headers are not put on the application's pages"
    )
    const call = callAt({ url }, yield* adminKey({ url }))
    assert.strictEqual((yield* call("GET", "/health")).json.status, "ok")
    assert.strictEqual((yield* call("GET", "/health/ready")).json.status, "ready")
    const missing = yield* call("GET", "/no-such-thing")
    assert.strictEqual(missing.status, 404)
    assert.strictEqual(missing.json.code, "not_found")
    const theirs = yield* Effect.promise(() => fetch(`${url}/no-such-page`))
    assert.strictEqual(theirs.status, 404)
    assert.notInclude(theirs.headers.get("content-type") ?? "", "problem")

    // an agent comes by WebSocket; its mail fails, and the application has it tried again, by the agent that can, once
    yield* call("POST", "/projects/shop/agents", { name: "a stranger that never came" })
    const { json: agent } = yield* call("POST", "/projects/shop/agents", { name: "mail" })
    const engine = new MemoryEngine()
    yield* Agent.make({
      brainUrl: url,
      token: agent.token,
      hmacSecret: agent.hmac_secret,
      home: join(folder, "agent"),
      engines: [engine.engine]
    })
    yield* until(
      call("GET", "/projects/shop/agents"),
      ({ json }) => json.some(({ state }: { readonly state: string }) => state === "online")
    )
    const task = engine.enqueue({ task_name: "mail.send", args: ["fail"] })
    engine.work(task)
    yield* until(Effect.sync(() => engine.done), (done) => done.includes("retry_task"))
    yield* until(
      Effect.sync(app.output),
      (text) => text.includes(`mail.send ${task}: `) && text.includes(`another try of ${task}`)
    )
    const second = yield* until(
      Effect.sync(() => [...engine.jobs.keys()].find((id) => id !== task)),
      (id) => id !== undefined
    )
    engine.work(second ?? "")
    yield* until(Effect.sync(app.output), (text) => text.includes(`${second} was the second try`))
    const { json: commands } = yield* call("GET", "/projects/shop/commands")
    assert.strictEqual(commands.items.length, 1, "it was tried more than once")
    assert.deepInclude(commands.items[0], { action: "retry_task", target_id: task, agent_id: agent.agent.id })
    const { json: audit } = yield* call("GET", "/projects/shop/audit")
    const row = audit.items.find(({ target_id }: { readonly target_id: string }) =>
      target_id === commands.items[0].id
    ) ??
      audit.items.find(({ metadata }: { readonly metadata: { readonly by?: string } }) => metadata.by !== undefined)
    assert.deepInclude(row?.metadata, { by: "the shop's back office" })

    const purge = { agent_id: agent.agent.id, queue: "payments", force: true }
    const refused = yield* call("POST", "/projects/shop/commands/purge-queue", purge)
    assert.strictEqual(refused.status, 409)
    assert.strictEqual(refused.json.code, "payments_are_kept")
    assert.strictEqual(
      (yield* call("POST", "/projects/shop/commands/purge-queue", { ...purge, queue: "mail" })).status,
      202
    )

    assert.strictEqual(yield* app.stop, 0)
  }))

it.scopedLive("the README's example: makes a brain, sends it a request, prints the response and ends", () =>
  Effect.gen(function*() {
    const app = yield* running(join(yield* examplePrograms, "shortest.js"), {
      SVC_HOME: yield* temporaryHome,
      SVC_LOG_LEVEL: "warning"
    })
    assert.strictEqual(yield* app.exit, 0, app.output())
    assert.strictEqual(app.output(), "[]\n")
  }))

it("the docs show the examples as they are", () => {
  assert.include(readFileSync(join(root, "README.md"), "utf8"), readFileSync(shortest, "utf8"))
  const docs = readFileSync(join(root, "docs/embedding.md"), "utf8")
  const blocks = [...docs.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block ?? "")
  assert.isAbove(blocks.length, 3)
  const example = readFileSync(source, "utf8")
  for (const block of blocks) assert.include(example, block.trimEnd())
})
