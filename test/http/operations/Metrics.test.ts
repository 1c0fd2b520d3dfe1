import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { readFileSync } from "node:fs"
import type { JsonInput } from "../../../src/domain/kernel/CanonicalJson.ts"
import { Keys } from "../../../src/services/kernel/keys/Keys.ts"
import { connected, event, freshAgent } from "../../agent.ts"
import { baseUrl, freshProject, request, serverOn } from "../../brain.ts"
import { laneEngines } from "../../engines.ts"
import { until } from "../../until.ts"

const recorded: { readonly frame_json: string } = JSON.parse(
  readFileSync(new URL("../../protocol/vectors/frames/heartbeat.celery.json", import.meta.url), "utf8")
)
const health: Record<string, string> = JSON.parse(recorded.frame_json).payload.adapter_health

/** The text of `/metrics`. */
const scrape = Effect.gen(function*() {
  const token = Redacted.value((yield* Keys).metricsToken)
  return (yield* request("GET", "//metrics", { token })).text
})

/** The value of a series such as `name{label="value"}`; undefined when the text lacks the series. */
const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((line) => line.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const ended = (name: string, outcome: string) => `svc_tasks_ended_total{name="${name}",outcome="${outcome}"}`

describe.each(laneEngines)("metrics to alert on, on %s", (engine) => {
  layer(serverOn(engine, { metricsTaskNames: 2 }), { excludeTestServices: true })((it) => {
    const fresh = Effect.gen(function*() {
      const project = yield* freshProject()
      const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
      return { agent, project }
    })

    it.scoped("ended tasks and their run time are counted by name, once, and names beyond the limit are `other`", () =>
      Effect.gen(function*() {
        const { agent } = yield* fresh
        const endOf = (kind: string, task_id: string, task_name: string) =>
          event({
            engine: "rq",
            kind,
            task_id,
            data: { task_name, queue: "q", worker: "w@h", runtime_ms: 700, exception: "ValueError" }
          })
        const paid = endOf("task.succeeded", "one", "pay")
        const failed = endOf("task.failed", "two", "pay")
        yield* Effect.promise(() => agent.sendEvents([paid, failed]))
        yield* Effect.promise(() => agent.sendEvents([paid, failed])) // as an agent does after a lost acknowledgement
        yield* Effect.promise(() => agent.sendEvents([endOf("task.failed", "three", "ship")]))
        yield* Effect.promise(() =>
          agent.sendEvents([endOf("task.failed", "four", "third"), endOf("task.failed", "five", "fourth")])
        )
        const text = yield* until(scrape, (text) => valueOf(text, ended("other", "failure")) === 2)
        assert.strictEqual(valueOf(text, ended("pay", "success")), 1)
        assert.strictEqual(valueOf(text, ended("pay", "failure")), 1)
        assert.strictEqual(valueOf(text, ended("ship", "failure")), 1)
        assert.strictEqual(valueOf(text, ended("ship", "success")), 0) // so that rate() sees the first one
        assert.notInclude(text, "name=\"third\"")
        assert.strictEqual(valueOf(text, "svc_task_run_seconds_count{name=\"pay\"}"), 2)
        assert.strictEqual(valueOf(text, "svc_task_run_seconds_bucket{le=\"0.5\",name=\"pay\"}"), 0)
        assert.strictEqual(valueOf(text, "svc_task_run_seconds_bucket{le=\"1\",name=\"pay\"}"), 2)
      }))

    it.scoped("tasks are counted by project and engine: received, retries, ends, waits and run times, each once", () =>
      Effect.gen(function*() {
        const { agent, project } = yield* fresh
        const labels = `project="${project.slug}",engine="rq"`
        const at = (second: number) => `2026-11-23T04:05:0${second}.000000+00:00`
        const one = (kind: string, second: number, data: Readonly<Record<string, JsonInput>> = {}) =>
          event({
            engine: "rq",
            kind,
            task_id: "one",
            occurred_at: at(second),
            data: { task_name: "pay", queue: "q", worker: "w@h", ...data }
          })
        const events = [
          one("task.received", 0),
          one("task.started", 3),
          one("task.retried", 4, { exception: "ValueError" }),
          one("task.started", 5),
          one("task.failed", 6, { runtime_ms: 700, exception: "ValueError" })
        ]
        for (const each of events) yield* Effect.promise(() => agent.sendEvents([each]))
        yield* Effect.promise(() => agent.sendEvents(events)) // as an agent does after a lost acknowledgement
        yield* Effect.promise(() => agent.sendEvents([event({ engine: "rq", task_id: "two" })]))
        const received = `svc_project_tasks_received_total{${labels}}`
        const text = yield* until(scrape, (text) => valueOf(text, received) === 2)
        assert.strictEqual(valueOf(text, `svc_project_tasks_ended_total{${labels},outcome="failure"}`), 1)
        assert.strictEqual(valueOf(text, `svc_project_tasks_ended_total{${labels},outcome="success"}`), 0)
        assert.strictEqual(valueOf(text, `svc_project_task_retries_total{${labels}}`), 1)
        assert.strictEqual(valueOf(text, `svc_project_task_run_seconds_sum{${labels}}`), 0.7)
        assert.strictEqual(valueOf(text, `svc_project_task_wait_seconds_count{${labels}}`), 1)
        assert.strictEqual(valueOf(text, `svc_project_task_wait_seconds_sum{${labels}}`), 3)
      }))

    it.scoped("requests are counted by route pattern and status, and their time by route pattern", () =>
      Effect.gen(function*() {
        const { slug } = yield* freshProject()
        yield* request("GET", `/projects/${slug}`)
        yield* request("GET", `/projects/${slug}/tasks/celery/a%2Fb/tree?x=1`)
        yield* request("PATCH", `//nothing/here/${slug}`)
        const text = yield* scrape
        const labels = "method=\"GET\",route=\"/api/v1/projects/:slug\""
        assert.strictEqual(valueOf(text, `svc_http_requests_total{${labels},status="401"}`), 1)
        assert.strictEqual(valueOf(text, `svc_http_request_seconds_count{${labels}}`), 1)
        assert.strictEqual(
          valueOf(
            text,
            "svc_http_requests_total{method=\"GET\",route=\"/api/v1/projects/:slug/tasks/:engine/:task_id/tree\",status=\"401\"}"
          ),
          1
        )
        assert.strictEqual(valueOf(text, "svc_http_requests_total{method=\"other\",route=\"other\",status=\"404\"}"), 1)
        assert.notInclude(text, `/projects/${slug}`)
      }))

    it.scoped("every metric of ours is in docs/metrics.md with its type", () =>
      Effect.gen(function*() {
        const documented = readFileSync("docs/metrics.md", "utf8")
        const types = [...(yield* scrape).matchAll(/^# TYPE (svc_\w+) (\w+)$/gm)]
        assert.isAbove(types.length, 20)
        for (const [, name, type] of types) assert.include(documented, `| \`${name}\` | ${type} |`)
      }))

    it.scoped("the process and its event loop are measured", () =>
      Effect.gen(function*() {
        const text = yield* scrape
        for (
          const name of [
            "nodejs_eventloop_lag_p99_seconds",
            "process_resident_memory_bytes",
            "process_cpu_seconds_total"
          ]
        ) {
          assert.isAbove(valueOf(text, name) ?? NaN, 0, name)
        }
      }))

    it.scoped("queues, waiting tasks and workers of all replicas are read at a scrape", () =>
      Effect.gen(function*() {
        const { agent, project: { slug } } = yield* fresh
        agent.heartbeat({ ...health, "celery.queue_depths": "{\"celery\": 7}" })
        const depth = `svc_queue_depth{project="${slug}",engine="celery",queue="celery"}`
        const age = `svc_oldest_waiting_task_seconds{project="${slug}"}`
        const idle = yield* until(scrape, (text) => valueOf(text, depth) === 7)
        assert.strictEqual(valueOf(idle, "svc_workers_online{engine=\"celery\"}"), 1)
        assert.strictEqual(valueOf(idle, age), 0)
        const waiting = event({
          engine: "celery",
          kind: "task.received",
          task_id: "waits",
          data: { task_name: "pay", queue: "celery" }
        })
        yield* Effect.promise(() => agent.sendEvents([waiting]))
        yield* until(scrape, (text) => (valueOf(text, age) ?? 0) > 0)
      }))
  })
})
