import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { noNamespace } from "../../src/domain/agents/TaskNamespace.ts"
import { AgentId, CommandId, ProjectId } from "../../src/domain/kernel/Id.ts"
import { PollSession } from "../../src/gateway/PollSession.ts"
import { wireSessionArgs } from "../../src/gateway/ProcessInfo.ts"
import { WireSession } from "../../src/protocol/Frame.ts"
import { idOf } from "../ids.ts"

const identity = {
  agent_id: idOf(AgentId, "a"),
  project_id: idOf(ProjectId, "p"),
  name: "a",
  key: Redacted.make(Buffer.alloc(32))
}
const presence = {
  touch: () => {},
  reportAdapterHealth: () => {},
  reportTelemetryLoss: () => {},
  reportTaskWorker: () => {},
  setAdvice: () => {},
  namespace: noNamespace,
  reportApart: () => {},
  disconnect: () => {}
}

/** A session, and the commands that it dropped. */
const makeSession = Effect.map(Effect.clock, (clock) => {
  const wire = new WireSession(...wireSessionArgs(identity, "n"))
  const info = { workerId: identity.agent_id, role: null, engines: ["huey"], capabilities: {} }
  const session = new PollSession(identity, "n", wire, info, presence, clock)
  const dropped: Array<string> = []
  const send = (text: string) => {
    const id = idOf(CommandId, text)
    const command = { id, action: "x", target: "{}", parameters: "{}", timeout_seconds: 60, issued_by: null }
    return session.send(command, () => dropped.push(text))
  }
  return { session, dropped, send }
})

describe("a long-poll session drops", () => {
  it.effect("what its last poll did not take", () =>
    Effect.gen(function*() {
      const { dropped, send, session } = yield* makeSession
      session.beginPoll(1)
      session.beginPoll(2)
      for (const id of ["c1", "c2", "c3"]) assert.isTrue(send(id))
      session.endPoll(1)
      assert.deepStrictEqual(dropped, [])
      assert.strictEqual(session.takeFrames(2).length, 2)
      session.endPoll(2)
      assert.deepStrictEqual(dropped, ["c3"])
      session.beginPoll(1)
      assert.deepStrictEqual(session.takeFrames(1), [])
    }))

  it.effect("what waits when one of its frames is refused", () =>
    Effect.gen(function*() {
      const { dropped, send, session } = yield* makeSession
      session.beginPoll(2)
      assert.isTrue(send("c1"))
      session.end("refused")
      assert.deepStrictEqual(dropped, ["c1"])
      assert.isFalse(send("c2"))
    }))
})
