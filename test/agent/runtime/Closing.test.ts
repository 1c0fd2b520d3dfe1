import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"
import { startAgent } from "../../../src/agent/runtime/startAgent.ts"
import { temporaryHome } from "../../databases.ts"

it.scopedLive("a program that has nothing else to wait for sees the agent's end", () =>
  Effect.gen(function*() {
    const program = join(inject("programs"), "agent-closing.js")
    const home = yield* temporaryHome
    const { stdout } = yield* Effect.promise(() => promisify(execFile)(process.execPath, [program, home]))
    assert.strictEqual(stdout, "closed\n")
  }))

it.live("invalid options and a log that throws: no rejection, and the status says why", () =>
  Effect.gen(function*() {
    const agent = yield* Effect.promise(() =>
      startAgent({
        brainUrl: "no address",
        token: "",
        hmacSecret: "",
        engines: [],
        log: () => {
          throw new Error("the host's log is broken")
        }
      })
    )
    assert.strictEqual(agent.status().state, "refused")
    assert.isNotNull(agent.status().problem)
    yield* Effect.promise(() => agent.close())
  }))
