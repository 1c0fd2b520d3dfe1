import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import type { Agent } from "../../web/src/agents/agents.ts"
import { findAgent } from "../../web/src/agents/findAgent.ts"
import { setupLines, setupPlaces } from "../../web/src/agents/setup.ts"
import { setupEngines } from "../../web/src/agents/setupEngines.ts"
import { scoreMatch, selectMatches } from "../../web/src/palette/fuzzy.ts"

const titles = ["Overview", "Tasks", "Queues", "Workers", "mail.order_confirmation", "Mail"].map((title) => ({ title }))
const find = (typed: string) => selectMatches(typed, titles, 3).map(({ title }) => title)

describe("the palette's match", () => {
  it("finds parts, first letters and words in any order, the shortest first", () => {
    assert.deepStrictEqual(find("mail"), ["Mail", "mail.order_confirmation"])
    assert.deepStrictEqual(find("moc"), ["mail.order_confirmation"])
    assert.deepStrictEqual(find("confirm mail"), ["mail.order_confirmation"])
    assert.deepStrictEqual(find("QUE"), ["Queues"])
    assert.deepStrictEqual(find(" "), ["Overview", "Tasks", "Queues"])
  })

  it("leaves out what has other letters, or has them scattered", () => {
    assert.deepStrictEqual(find("xyz"), [])
    assert.isNull(scoreMatch("vrw", "Overview"))
  })
})

const agent: Agent = {
  id: "a",
  name: "a",
  project_id: "p",
  state: "offline",
  protocol_version: "2",
  framework_adapter: "bare",
  engine_adapters: ["celery"],
  scheduler_adapters: [],
  capabilities: { celery: ["purge_queue"] },
  last_seen_at: null,
  last_connect_at: null,
  created_at: "2026-11-24T12:00:00Z",
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
}

describe("the agent of a command", () => {
  it("serves the engine and offers the action, and is online if one is", () => {
    const online: Agent = { ...agent, id: "b", state: "online" }
    const overLongPoll = { ...agent, id: "c", capabilities: {} }
    assert.strictEqual(findAgent([agent, online], "celery", "purge_queue")?.id, "b")
    assert.strictEqual(findAgent([agent], "celery", "purge_queue")?.id, "a")
    assert.isUndefined(findAgent([agent, online], "celery", "restart_worker"))
    assert.isUndefined(findAgent([agent, online], "rq", "purge_queue"))
    assert.strictEqual(findAgent([agent, overLongPoll], "celery", "restart_worker")?.id, "c")
  })
})

describe("the lines of the set-up assistant", () => {
  const secrets = { brainUrl: "https://svc.example.com/a b", slug: "shop", agentId: "id", token: "t", hmacSecret: "h" }
  const documented = readFileSync("docs/agents.md", "utf8") + readFileSync("docs/agent.md", "utf8")

  it.each(setupEngines)("of %s set variables that are documented, and quote what a shell would split", (engine) => {
    for (const place of setupPlaces) {
      const lines = setupLines(engine, place, secrets).find(({ step }) => step === "environment")?.text ?? ""
      const names = [...lines.matchAll(/(?:^export | -e |--from-literal=)(\w+)=/gm)].map(([, name = ""]) => name)
      assert.isAtLeast(names.length, 3, place)
      for (const name of names) assert.include(documented, `\`${name}\``)
      assert.include(lines, "_BRAIN_URL='https://svc.example.com/a b'")
      const { stderr } = spawnSync("sh", ["-n"], { input: lines, encoding: "utf8" })
      assert.strictEqual(stderr, "", place) // each copied text is what a shell reads
    }
  })
})
