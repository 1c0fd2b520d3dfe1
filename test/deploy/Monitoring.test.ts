import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"
import { Keys } from "../../src/services/kernel/keys/Keys.ts"
import { Metrics } from "../../src/services/kernel/Metrics.ts"
import { connected, event, freshAgent } from "../agent.ts"
import { baseUrl, freshProject, request, serverOn } from "../brain.ts"
import { debianProgram } from "../debianProgram.ts"
import { has } from "../needs.ts"
import { until } from "../until.ts"
import { startPrometheus } from "./prometheus.ts"

const ready = await has("prometheus", "promtool")

const deploy = join(import.meta.dirname, "../../deploy")
const rulesFile = join(deploy, "prometheus/alerts.yaml")

interface Rule {
  readonly alert: string
  readonly expr: string
}

interface Panel {
  readonly title: string
  readonly targets?: ReadonlyArray<{ readonly expr: string }>
}

// the files are ours; a wrong shape fails the tests below
const { groups } = parse(readFileSync(rulesFile, "utf8")) as {
  readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
}
const rules = groups.flatMap(({ rules }) => rules)
const dashboard = JSON.parse(readFileSync(join(deploy, "grafana/svc.json"), "utf8")) as {
  readonly panels: ReadonlyArray<Panel>
  readonly templating: { readonly list: ReadonlyArray<{ readonly name: string; readonly definition?: string }> }
}

/** The queries of the dashboard as Grafana sends them, with its variables at `All`. */
const panelQueries = dashboard.panels.flatMap(({ targets = [] }) => targets).map(({ expr }) =>
  expr.replaceAll("$__rate_interval", "20s").replaceAll("$job", ".*").replaceAll("$project", ".*")
)

/** What has no series, or none above zero, while nothing goes wrong and no command, schedule or channel is used. */
const quiet = new Set([
  "svc_agent_frames_refused_total",
  "svc_agent_events_unusable_total",
  "svc_audit_checkpoints_waiting",
  "svc_audit_denials_total",
  "svc_audit_chain_verifications_total",
  "svc_background_task_error_active",
  "svc_command_seconds",
  "svc_deliveries_total",
  "svc_rows_dropped_total",
  "svc_schedule_misfires_total",
  "svc_swallowed_exceptions_total"
])

/** The operands of the operators between vectors: each label of an operand belongs to each metric in it. */
const operands = (expression: string) =>
  expression.split(/\b(?:and|or|unless)\b(?:\s+on\s*\([^)]*\))?|[^=!][<>]=?\s|\s==\s/)

const metricNames = (expression: string) => expression.match(/\b(svc|nodejs|process)_\w+/g) ?? []

/** Labels that a query filters or groups by. */
const labelNames = (expression: string) => [
  ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label ?? ""),
  ...[...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(",").map((label) => label.trim()).filter((label) => label !== "")
  )
]

/** Labels that Prometheus adds to what it scrapes. */
const ofPrometheus = ["job", "instance"]

describe.skipIf(!ready)("alert rules", () => {
  it.live("promtool accepts them, and each fires and does not fire in a test", () =>
    Effect.promise(async () => {
      const { env, path } = await debianProgram("promtool")
      const run = (...args: ReadonlyArray<string>) =>
        execFileSync(path, args, { cwd: join(deploy, "prometheus"), env, encoding: "utf8" })
      assert.include(run("check", "rules", "alerts.yaml"), `SUCCESS: ${rules.length} rules found`)
      assert.include(run("test", "rules", "alerts.test.yaml"), "SUCCESS")
      const { tests } = parse(readFileSync(join(deploy, "prometheus/alerts.test.yaml"), "utf8")) as {
        readonly tests: ReadonlyArray<{ readonly name: string }>
      }
      const names = tests.map(({ name }) => name)
      for (const { alert } of rules) assert.includeMembers(names, [`${alert} fires`, `${alert} does not fire`])
    }))
})

describe.skipIf(!ready)("dashboard and alert rules on a real brain", () => {
  layer(serverOn("SQLite", { auditChainVerifyEnabled: true }), { excludeTestServices: true })((it) => {
    const traffic = Effect.gen(function*() {
      const project = yield* freshProject()
      const agent = yield* connected({ base: yield* baseUrl, ...(yield* freshAgent(project)) })
      const recorded: { readonly frame_json: string } = JSON.parse(
        readFileSync(new URL("../protocol/vectors/frames/heartbeat.celery.json", import.meta.url), "utf8")
      )
      const health: Record<string, string> = JSON.parse(recorded.frame_json).payload.adapter_health
      const taskThat = (end: string) => {
        const task_id = randomUUID()
        const data = { task_name: "shop.pay", queue: "celery", worker: "w@h" }
        return [
          event({ task_id }),
          event({ task_id, kind: "task.started", data }),
          event({ task_id, kind: end, data: { ...data, runtime_ms: 20, exception: "ValueError" } })
        ]
      }
      agent.heartbeat({ ...health, "celery.queue_depths": "{\"celery\": 7}" })
      const once = Effect.gen(function*() {
        yield* Effect.promise(() => agent.sendEvents([...taskThat("task.succeeded"), ...taskThat("task.failed")]))
        yield* request("GET", `/projects/${project.slug}`)
      })
      yield* Effect.forkScoped(Effect.repeat(once, Schedule.spaced("200 millis")))
      return project
    })

    it.scoped(
      "every query names metrics and labels of /metrics, is valid, and finds its data",
      () =>
        Effect.gen(function*() {
          yield* traffic
          const token = Redacted.value((yield* Keys).metricsToken)
          const prometheus = yield* startPrometheus({ base: yield* baseUrl, token, rules: rulesFile })

          const { text } = yield* request("GET", "//metrics", { token })
          const metrics = (yield* Metrics).registry.getMetricsAsArray()
          for (const expression of [...panelQueries, ...rules.map(({ expr }) => expr)].flatMap(operands)) {
            for (const name of metricNames(expression)) {
              const family = name.replace(/_bucket$/, "")
              assert.match(text, new RegExp(`^# TYPE ${family} `, "m"), expression)
              const known = metrics.find((metric) => "name" in metric && metric.name === family)
              // prom-client keeps the labels of a metric in a field that its types lack
              const declared = known === undefined
                ? []
                : (known as unknown as { readonly labelNames: Array<string> }).labelNames
              const allowed = [...ofPrometheus, ...(family === name ? [] : ["le"]), ...declared]
              assert.includeMembers(allowed, labelNames(expression), expression)
            }
          }

          for (const expression of panelQueries) {
            const isQuiet = metricNames(expression).some((name) => quiet.has(name.replace(/_bucket$/, "")))
            const samples = prometheus.query(expression)
            yield* isQuiet ? samples : until(samples, ({ length }) => length > 0, "30 seconds").pipe(
              Effect.mapError(() => new Error(`no data: ${expression}`))
            )
          }
          for (const { definition } of dashboard.templating.list) {
            const [, name = "", label = ""] = /^label_values\((\w+), (\w+)\)$/.exec(definition ?? "") ?? []
            if (definition === undefined) continue
            const found = yield* until(prometheus.query(name), ({ length }) => length > 0)
            assert.property(found[0]?.metric, label)
          }
          const evaluated = yield* until(prometheus.rules, (rules) => rules.every(({ health }) => health !== "unknown"))
          assert.deepStrictEqual(
            evaluated.map(({ health, name }) => `${name} ${health}`).sort(),
            rules.map(({ alert }) => `${alert} ok`).sort()
          )
        })
    )
  })
})
