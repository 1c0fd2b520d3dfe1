import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Server from "../../src/layers/Server.ts"
import * as Traces from "../../src/layers/Traces.ts"
import { brainOn, freshKey, freshProject, request } from "../brain.ts"
import { laneEngines } from "../engines.ts"
import { collector } from "../layers/collector.ts"
import { openStream, putTask } from "./live.ts"

/** The other tests' servers make no spans (`serverOn`), and services take other paths with them (`PreparedReads`, `tracedFn`). */
const tracedServer = (engine: (typeof laneEngines)[number], host: string) =>
  Server.layer.pipe(
    Layer.provide(Traces.layer),
    Layer.provideMerge(brainOn(engine, { otlpEndpoint: `http://${host}` })),
    Layer.orDie
  )

describe.each(laneEngines)("a server that makes spans, on %s", (engine) => {
  it.scopedLive("serves a read by key, a command and a live stream, each as one trace", () =>
    Effect.gen(function*() {
      const { host, posts } = yield* collector
      yield* Effect.gen(function*() {
        const project = yield* freshProject()
        const { token } = yield* freshKey({ roles: { [project.id]: "admin" } })
        const projectPath = `/projects/${project.slug}`
        const agent = yield* request("POST", `${projectPath}/agents`, { token, body: { name: "a" } })
        assert.strictEqual(agent.status, 201)
        const tasks = yield* request("GET", `${projectPath}/tasks`, { token })
        assert.deepInclude(tasks, { status: 200, json: { items: [], next_cursor: null } })
        const body = { agent_id: agent.json.agent.id, engine: "celery", task_id: "t" }
        assert.strictEqual((yield* request("POST", `${projectPath}/commands/cancel-task`, { token, body })).status, 202)
        const stream = yield* openStream(project.slug, token)
        yield* putTask(project.id, "a", "received")
        assert.deepInclude((yield* stream.next).data, { task_id: "a", state: "received" })
      }).pipe(Effect.scoped, Effect.provide(tracedServer(engine, host)))
      const spans = posts.flatMap(({ body }) => spansOf(JSON.parse(body)))
      for (const [method, path, status] of requests) {
        const root = spans.find(({ attributes, name }) =>
          name === `http.server ${method}` &&
          attributes.some(({ key, value }) => key === "url.path" && value.stringValue?.endsWith(path)) &&
          attributes.some(({ key, value }) => key === "http.response.status_code" && value.intValue === status)
        )
        const inside = spans.filter(({ traceId }) => traceId === root?.traceId).map(({ name }) => name)
        assert.include(inside, "sql.execute", `${method} ${path}: ${JSON.stringify(inside)}`)
      }
    }))
})

const requests = [["GET", "/tasks", 200], ["POST", "/commands/cancel-task", 202], ["GET", "/stream", 200]] as const

interface Span {
  readonly name: string
  readonly traceId: string
  readonly attributes: ReadonlyArray<
    { readonly key: string; readonly value: { readonly stringValue?: string; readonly intValue?: number } }
  >
}

interface Export {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }>
}

const spansOf = ({ resourceSpans }: Export): ReadonlyArray<Span> =>
  resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
