import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { makePresenceSweeps } from "../../src/services/agents/Presence/Sweeps.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { connected, event, freshAgent } from "../agent.ts"
import { baseUrl, freshKey, freshProject, request, serverOn } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { until } from "../until.ts"

const fresh = Effect.gen(function*() {
  const project = yield* freshProject()
  const credentials = yield* freshAgent(project)
  const key = yield* freshKey({ roles: { [project.id]: "viewer" } })
  const agent = yield* connected({ base: yield* baseUrl, ...credentials })
  return { project, agent, agent_id: credentials.agent_id, key, path: `/projects/${project.slug}` }
})

const depths = (count: number, depth: number) => ({
  "celery.queue_depths": JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`q${index}`, depth]))
  )
})

const runs = (count: number) =>
  Array.from(
    { length: count },
    (_, index) =>
      event({
        kind: "task.started",
        task_id: `t${index}`,
        data: { task_name: "a", queue: `other${index}`, worker: `w${index}@host` }
      })
  )

describe.each(laneEngines)("rows that agents make, on %s", (engine) => {
  layer(serverOn(engine, { queuesPerProject: 7, workersPerProject: 5, agentProcessesPerProject: 3 }), {
    excludeTestServices: true
  })((it) => {
    it.scoped("queues and workers end at the cap of the project, known ones still change, and the agent's record says so", () =>
      Effect.gen(function*() {
        const { agent, agent_id, key, path } = yield* fresh
        agent.heartbeat(depths(20, 1))
        yield* until(request("GET", `${path}/queues`, key), ({ json }) => json.length === 7)
        const acks = yield* Effect.promise(() => agent.sendEvents(runs(20)))
        assert.deepInclude(acks, { received: 20, accepted: 20, rejected: 0 })
        assert.strictEqual((yield* request("GET", `${path}/workers`, key)).json.length, 5)
        agent.heartbeat(depths(20, 2))
        yield* until(
          request("GET", `${path}/queues`, key),
          ({ json }) => json.every(({ depth }: { readonly depth: number }) => depth === 2)
        )
        assert.strictEqual((yield* request("GET", `${path}/queues`, key)).json.length, 7)
        const agents = yield* until(
          request("GET", `${path}/agents`, key),
          ({ json }) => json[0]?.last_refused_reason === "too_many_rows"
        )
        assert.strictEqual(agents.json[0].id, agent_id)
        assert.match(agents.json[0].last_refused_detail, /SVC_(QUEUES|WORKERS)_PER_PROJECT/)
      }))

    it.scoped("the lists are paged by headers, and the bodies stay arrays", () =>
      Effect.gen(function*() {
        const { agent, key, path } = yield* fresh
        agent.heartbeat(depths(7, 1))
        yield* until(request("GET", `${path}/queues`, key), ({ json }) => json.length === 7)
        const whole: ReadonlyArray<{ readonly id: string }> = (yield* request("GET", `${path}/queues`, key)).json
        const ids: Array<string> = []
        let query = "?limit=3"
        for (let page = 0; query !== ""; page++) {
          const { headers, json } = yield* request("GET", `${path}/queues${query}`, key)
          ids.push(...json.map(({ id }: { readonly id: string }) => id))
          const next = /^<(\?.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? ""
          assert.strictEqual(new URLSearchParams(next).get("cursor"), headers.get("x-svc-next-cursor"))
          query = next
          assert.isBelow(page, 4)
        }
        assert.deepStrictEqual(ids, whole.map(({ id }) => id))
        for (const list of ["queues", "workers", "agent-workers"]) {
          assert.strictEqual((yield* request("GET", `${path}/${list}?limit=0`, key)).status, 422, list)
          assert.strictEqual((yield* request("GET", `${path}/${list}?cursor=nope`, key)).status, 422, list)
          assert.isNull((yield* request("GET", `${path}/${list}?limit=500`, key)).headers.get("link"), list)
        }
      }))

    it.scoped("agent processes end at the cap: those seen least recently go", () =>
      Effect.gen(function*() {
        const { agent_id, key, path, project } = yield* fresh
        const sql = yield* SqlClient.SqlClient
        const now = yield* Timestamp.now
        for (let number = 0; number < 6; number++) {
          const at = Timestamp.addSeconds(now, number - 100)
          yield* sql`INSERT INTO agent_workers ${
            sql.insert({
              id: yield* Ids.next,
              agent_id,
              project_id: project.id,
              worker_id: `old-${number}`,
              engines: "[]",
              capabilities: "{}",
              state: "offline",
              session_id: yield* Ids.next,
              last_seen_at: at,
              last_connect_at: at,
              created_at: at,
              updated_at: at
            })
          }`
        }
        yield* (yield* makePresenceSweeps).deleteExcessProcesses()
        const { json } = yield* request("GET", `${path}/agent-workers?state=offline`, key)
        assert.deepStrictEqual(json.map(({ worker_id }: { readonly worker_id: string }) => worker_id).sort(), [
          "old-4",
          "old-5"
        ])
      }))
  })
})
