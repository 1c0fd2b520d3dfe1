import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import pg from "pg"
import { inject } from "vitest"
import { freshPostgres } from "../postgres.ts"
import { until } from "../until.ts"
import { adminKey, type BrainProcess, signedIn, siteOf } from "./brainProcess.ts"
import { makeFixture } from "./faults/Fixture.ts"
import { proxyTo } from "./faults/Proxy.ts"
import { expectStoredOnce, type Run, runOf, Streamer } from "./streaming.ts"

const project = "upgrade"

/** Tasks of one connection of the ingesting agent, and the pause before the next. */
const tasksAtOnce = 60
const pauseMillis = 100

/** The newest migration that is applied. */
const revisionOf = (url: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query("SELECT max(id) AS id FROM schema_migrations")
    await client.end()
    return Number(rows[0].id)
  })

/** One address before the brains, as a load balancer is: new connections go to the brain that it names. */
const balancer = (first: BrainProcess) =>
  Effect.gen(function*() {
    const portOf = ({ url }: BrainProcess) => Number(new URL(url).port)
    const target = { host: "127.0.0.1", port: portOf(first) }
    const { port } = yield* proxyTo(target)
    return {
      brain: { ...first, url: `http://127.0.0.1:${port}` },
      sendTo: (brain: BrainProcess) =>
        Effect.sync(() => {
          target.port = portOf(brain)
        })
    }
  })

/** Repeats it until the caller stops it; waits for the round that has begun. */
const repeatUntilStopped = (round: () => Promise<unknown>) => {
  let stopped = false
  const done = (async () => {
    while (!stopped) await round()
  })()
  return Effect.promise(() => {
    stopped = true
    return done
  })
}

/** Agents ingest and commands run through the balancer until `end`, which returns what was sent. */
const load = (brain: BrainProcess) =>
  Effect.gen(function*() {
    const call = (yield* signedIn(brain))(brain)
    yield* call("POST", "/projects", { slug: project, name: project })
    const agent = yield* call("POST", `/projects/${project}/agents`, { name: "ingest" })
    const credentials = { token: String(agent.json.token), hmac_secret: String(agent.json.hmac_secret) }
    const runs: Array<Run> = []
    const endIngest = repeatUntilStopped(async () => {
      const run = runOf(tasksAtOnce, 10)
      runs.push(run)
      const streamer = new Streamer(credentials, [brain.url], run.batches, 16)
      await streamer.run()
      assert.strictEqual(streamer.rejected, 0)
      await sleep(pauseMillis)
    })

    const fixture = yield* makeFixture(brain)
    const actor = yield* fixture.actor
    const worker = yield* actor.start(null, brain)
    yield* worker.waitForReport("connected")
    const token = yield* adminKey(brain)
    const commands: Array<string> = []
    const post = (idempotency_key: string) =>
      fetch(`${brain.url}/api/v1/projects/faults/commands/cancel-task`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ agent_id: actor.agentId, engine: "celery", task_id: "t", idempotency_key })
      })
    const endCommands = repeatUntilStopped(async () => {
      const key = randomUUID()
      for (;;) {
        // a brain that stops closes the connection: the request is sent again with the same key
        const response = await post(key).catch(() => null)
        // the body too may be truncated
        const body = response?.status === 202 ? await response.text().catch(() => "") : ""
        const id = /"id":"([0-9a-f-]{36})"/.exec(body)?.[1]
        if (id !== undefined) {
          commands.push(id)
          break
        }
        await sleep(20)
      }
      await sleep(pauseMillis)
    })
    const end = Effect.zipRight(
      Effect.zipRight(endIngest, endCommands),
      Effect.sync(() => ({ runs, commands }))
    )
    return { end, fixture, sent: () => ({ runs: runs.length, commands: commands.length }) }
  })

describe("an upgrade under load", () => {
  it.scopedLive(
    "this version and one with a newer schema over one PostgreSQL, and back, lose and double nothing",
    () =>
      Effect.gen(function*() {
        const { url } = yield* freshPostgres
        const site = yield* siteOf(inject("program"), { SVC_DATABASE_URL: url })
        const before = yield* site.brain
        const { brain, sendTo } = yield* balancer(before)
        const oldRevision = yield* revisionOf(url)
        const { end, fixture, sent } = yield* load(brain)
        const more = Effect.suspend(() => {
          const { commands, runs } = sent()
          return until(Effect.sync(sent), (now) => now.runs >= runs + 3 && now.commands >= commands + 5)
        })

        yield* more
        const next = yield* site.brainWith({}, join(inject("programs"), "next-svc.js"))
        assert.isAbove(yield* revisionOf(url), oldRevision)
        yield* more // the old version works on the new schema, beside the new version
        yield* sendTo(next)
        assert.strictEqual(yield* before.stop, 0)
        yield* more

        yield* before.start
        yield* sendTo(before)
        assert.strictEqual(yield* next.stop, 0)
        yield* more

        const { commands, runs } = yield* end
        yield* expectStoredOnce((yield* signedIn(brain))(brain), project, ...runs)
        const unknown: Array<string> = []
        for (const id of commands) {
          const ending = yield* fixture.endingOf(id)
          assert.lengthOf(ending.executions, 1, id)
          if (ending.status === "completed") continue
          assert.match(ending.error ?? "", /unknown/)
          unknown.push(id)
        }
        // the one that was under way when a version stopped that does not wait for results
        assert.isAtMost(unknown.length, 1)
        const executed = readFileSync(fixture.journal, "utf8").split("\n").filter((line) => line !== "")
        assert.strictEqual(executed.length, commands.length)
      })
  )
})
