import { assert, describe, it } from "@effect/vitest"
import type { Agent } from "../../web/src/agents/agents.ts"
import { canList, chooseEngine } from "../../web/src/deadLetters/engines.ts"

/** An agent of these engines, with what it reports that it can do. */
const agent = (state: "online" | "offline", capabilities: Readonly<Record<string, ReadonlyArray<string>>>): Agent => ({
  id: "0199c0de-7a1b-7c3d-8e5f-60718293a4b5",
  project_id: "0199c0de-7a1b-7c3d-8e5f-60718293a4b6",
  name: "box",
  state,
  engine_adapters: Object.keys(capabilities),
  capabilities,
  protocol_version: "2",
  framework_adapter: "bare",
  scheduler_adapters: [],
  last_seen_at: null,
  last_connect_at: null,
  created_at: "2026-11-24T12:00:00.000000Z",
  is_outdated: false,
  host_name: null,
  agent_version: null,
  version_status: null,
  last_refused_at: null,
  last_refused_reason: null,
  last_refused_detail: null,
  setup_advice: [],
  namespace: null,
  assigned_namespace: null
})

const celery = agent("online", { celery: ["retry_task"] })
const rq = (state: "online" | "offline") => agent(state, { rq: ["list_dead_letters"] })

describe("the page of dead letters", () => {
  it("opens on an engine whose agent lists them, a connected one first", () => {
    assert.strictEqual(chooseEngine([celery, rq("online")]), "rq")
    assert.strictEqual(chooseEngine([celery, agent("offline", { bullmq: ["list_dead_letters"] }), rq("online")]), "rq")
    assert.strictEqual(chooseEngine([celery, rq("offline")]), "rq")
    assert.strictEqual(chooseEngine([celery]), undefined)
    assert.strictEqual(chooseEngine([]), undefined)
  })

  it("asks an agent that reports no capabilities, as over long-poll, after one that lists them", () => {
    const silent = { ...agent("online", {}), engine_adapters: ["dramatiq"] }
    assert.strictEqual(chooseEngine([silent, celery]), "dramatiq")
    assert.strictEqual(chooseEngine([silent, rq("online")]), "rq")
    assert.strictEqual(chooseEngine([silent, rq("offline")]), "dramatiq")
    assert.isTrue(canList([silent], "dramatiq"))
    assert.isFalse(canList([silent], "celery"))
  })
})
