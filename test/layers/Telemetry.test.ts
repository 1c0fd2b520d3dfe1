import { NodeContext } from "@effect/platform-node"
import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Layer, Logger, Redacted, Tracer } from "effect"
import { jsonLogger } from "../../src/layers/Logs.ts"
import * as SettingsLayer from "../../src/layers/Settings.ts"
import * as Telemetry from "../../src/layers/Telemetry.ts"
import type { SettingsShape } from "../../src/services/kernel/Settings.ts"
import { brainOn } from "../brain.ts"
import { temporaryHome } from "../databases.ts"
import { until } from "../until.ts"
import { collector, collectorAfter } from "./collector.ts"

/** What was logged, as the lines that would go to standard output. */
const logged = (effect: Effect.Effect<unknown>) =>
  Effect.gen(function*() {
    const lines: Array<string> = []
    const collect = Logger.map(jsonLogger, (line) => void lines.push(line))
    yield* Effect.provide(effect, Logger.replace(Logger.defaultLogger, collect))
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>) // one object a line
  })

const withSettings = (overrides: Partial<SettingsShape>) =>
  Telemetry.layer.pipe(
    Layer.provide(
      Layer.unwrapScoped(Effect.map(temporaryHome, (home) => SettingsLayer.layer({ SVC_HOME: home }, overrides)))
    ),
    Layer.provide(NodeContext.layer)
  )

describe("log lines", () => {
  it.effect("are one JSON object with the fields of the interface", () =>
    Effect.gen(function*() {
      const [line] = yield* logged(
        Effect.logWarning("two\nlines").pipe(
          Effect.annotateLogs({
            logger: "commands.sweeper",
            request_id: "r-1",
            user_id: "u-1",
            project_id: "p-1",
            agent_id: "a-1"
          })
        )
      )
      assert.deepStrictEqual(Object.keys(line ?? {}).slice(0, 4), ["ts", "level", "logger", "msg"])
      assert.include(line, {
        level: "warning",
        logger: "commands.sweeper",
        msg: "two\nlines",
        request_id: "r-1",
        user_id: "u-1",
        project_id: "p-1",
        agent_id: "a-1"
      })
    }))

  it.effect("hold the error and its cause, and what else was said", () =>
    Effect.gen(function*() {
      const cause = Cause.die(new Error("outer", { cause: new Error("inner") }))
      const [first, second] = yield* logged(Effect.zipRight(
        Effect.logError("it broke", cause),
        Effect.logInfo("kept going", new Error("half-way"), { tries: 3 })
      ))
      assert.strictEqual(first?.msg, "it broke")
      assert.match(String(first?.error), /outer[\s\S]*inner/)
      assert.strictEqual(first?.logger, "svc")
      assert.strictEqual(second?.msg, "kept going half-way {\"tries\":3}")
      assert.notProperty(second, "error")
    }))

  it.effect("never show what is redacted", () =>
    Effect.gen(function*() {
      const [line] = yield* logged(Effect.logInfo("the key", { key: Redacted.make("hidden") }))
      assert.notInclude(JSON.stringify(line), "hidden")
    }))
})

describe("traces", () => {
  it.scopedLive("go to the collector when there is one", () =>
    Effect.gen(function*() {
      const { host, posts } = yield* collector
      yield* Effect.withSpan(Effect.void, "a piece of work").pipe(
        Effect.provide(withSettings({ otlpEndpoint: `http://${host}/` }))
      )
      assert.deepStrictEqual(posts.map(({ path }) => path), ["/v1/traces"])
      assert.include(posts[0]?.body, "a piece of work")
      assert.include(posts[0]?.body, "service.name")
    }))

  it.scopedLive("are not made when there is none", () =>
    Effect.gen(function*() {
      const span = yield* Effect.withSpan(Effect.currentSpan, "a piece of work").pipe(
        Effect.provide(withSettings({})),
        Effect.option
      )
      assert.isFalse(span._tag === "Some" && span.value.sampled)
    }))

  it.scopedLive("are sent by the sampled share, whole or not at all, and not when the client's trace is not sampled", () =>
    Effect.gen(function*() {
      const { host, posts } = yield* collector
      const trace = Effect.withSpan(Effect.void, "child").pipe(Effect.withSpan("parent"))
      const unsampled = Tracer.externalSpan({ traceId: "0".repeat(32), spanId: "1".repeat(16), sampled: false })
      yield* Effect.repeatN(trace, 399).pipe(
        Effect.zipRight(Effect.withSpan(Effect.void, "of a client", { parent: unsampled })),
        Effect.provide(withSettings({ otlpEndpoint: `http://${host}`, tracesSampleShare: 0.5 }))
      )
      const text = posts.map(({ body }) => body).join()
      const [parents, children] = ["parent", "child"].map((name) => text.split(`"name":"${name}"`).length - 1)
      assert.strictEqual(parents, children)
      assert.isTrue(parents! > 100 && parents! < 300, String(parents)) // 10 standard deviations
      assert.notInclude(text, "of a client")
    }))

  for (const tracesStatements of [false, true]) {
    it.scopedLive(`${tracesStatements ? "hold" : "do not hold"} the text of statements ${tracesStatements ? "when asked to" : "unless asked to"}`, () =>
      Effect.gen(function*() {
        const { host, posts } = yield* collector
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS marked`).pipe(
          Effect.provide(withSettings({ otlpEndpoint: `http://${host}`, tracesStatements })),
          Effect.provide(brainOn("SQLite"))
        )
        const text = posts.map(({ body }) => body).join()
        assert.include(text, "sql.execute")
        assert.strictEqual(text.includes("SELECT 1 AS marked"), tracesStatements)
      }))
  }

  it.scopedLive("are dropped while the collector is out, with one warning, and sent when it responds again", () =>
    Effect.gen(function*() {
      const { host, posts } = yield* collectorAfter(2)
      const lines: Array<string> = []
      const collect = Logger.add(Logger.map(jsonLogger, (line) => void lines.push(line)))
      yield* Effect.gen(function*() {
        yield* Effect.repeatN(Effect.withSpan(Effect.void, "a piece of work"), 999) // a full batch, which is sent at once and tried again after 1 s
        // the collector has the spans before the exporter has its response, without which nothing is logged
        yield* until(Effect.sync(() => lines.join()), (text) => text.includes("accepts spans again"))
        assert.lengthOf(posts, 1)
      }).pipe(Effect.provide(withSettings({ otlpEndpoint: `http://${host}` }).pipe(Layer.provide(collect))))
      const reports = lines.map((line) => JSON.parse(line) as { level: string; msg: string }).filter(({ msg }) =>
        msg.includes("trace collector")
      ) // one object a line
      assert.deepStrictEqual(reports.map(({ level }) => level), ["warning", "info"])
      assert.include(reports[0]?.msg, "it answers 503")
    }))
})

describe("crash reports", () => {
  it.scopedLive("report to Sentry every error line with a cause, and nothing else", () =>
    Effect.gen(function*() {
      const { host, posts } = yield* collector
      yield* Effect.gen(function*() {
        yield* Effect.logWarning("a warning", Cause.die(new Error("not this one")))
        yield* Effect.logError("an error without a cause")
        yield* Effect.logError("a crash", Cause.die(new Error("this one"))).pipe(
          Effect.annotateLogs("request_id", "r-7")
        )
      }).pipe(Effect.provide(withSettings({ sentryDsn: Redacted.make(`http://key@${host}/42`) })))
      const events = posts.filter(({ body }) => body.includes("\"type\":\"event\""))
      assert.strictEqual(events.length, 1)
      assert.strictEqual(events[0]?.path.split("?")[0], "/api/42/envelope/")
      assert.include(events[0]?.body, "this one")
      assert.include(events[0]?.body, "r-7")
    }))
})
