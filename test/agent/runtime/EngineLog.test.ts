import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Engine } from "../../../src/agent/runtime/Engine.ts"
import { startAgent } from "../../../src/agent/runtime/startAgent.ts"
import { until } from "../../until.ts"

const talkative: Engine = {
  name: "talkative",
  start: () => Effect.asVoid(Effect.forkScoped(Effect.logWarning("entries were lost"))),
  actions: {},
  retriesByReference: false,
  inventory: Effect.succeed({ brokerType: "none", brokerConnected: true, queueDepths: {}, workers: [] }),
  reconcile: () => Effect.succeed({ engine_state: "unknown", finished_at: null, exception: null })
}

it.scopedLive("what an engine logs goes to the log of the agent's own lines", () =>
  Effect.gen(function*() {
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-agent-"))),
      (home) => Effect.sync(() => rmSync(home, { recursive: true, force: true }))
    )
    const logged: Array<string> = []
    yield* Effect.acquireRelease(
      Effect.promise(() =>
        startAgent({
          brainUrl: "http://127.0.0.1:1",
          token: "token-of-a-test",
          hmacSecret: Buffer.alloc(32, 7).toString("base64url"),
          home,
          engines: [talkative],
          log: (level, message) => void logged.push(`${level}: ${message}`)
        })
      ),
      (agent) => Effect.promise(() => agent.close())
    )
    const lines = yield* until(Effect.sync(() => logged), (lines) => lines.some((line) => line.includes("entries")))
    assert.include(lines, "warning: entries were lost")
  }))
