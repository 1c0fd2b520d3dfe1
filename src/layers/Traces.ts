import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import * as OtlpTracer from "@effect/opentelemetry/OtlpTracer"
import { FetchHttpClient, HttpClient, HttpMiddleware } from "@effect/platform"
import { Effect, Layer, Option, Tracer } from "effect"
import { version } from "../domain/kernel/Version.ts"
import { Settings, type SettingsShape } from "../services/kernel/Settings.ts"

/** The trace id decides, so that all of a trace's spans are kept or none, on every replica. Ids are random. */
const isSampled = (traceId: string, share: number): boolean => parseInt(traceId.slice(-8), 16) < share * 2 ** 32

/** The methods of a span that is not sampled: it is not exported, and keeps nothing. */
const noopSpanMethods = { sampled: false, addLinks: () => {}, attribute: () => {}, end: () => {}, event: () => {} }

/** The attribute of @effect/sql with a statement's text. */
const statementText = "db.query.text"

const dropStatement = (span: Tracer.Span): Tracer.Span => {
  const attribute = span.attribute.bind(span)
  return Object.assign(span, {
    attribute: (key: string, value: unknown) => {
      if (key !== statementText) attribute(key, value)
    }
  })
}

/** The tracer without the spans outside the sampled share, and without statements unless the settings ask for them. */
const filterSpans = (tracer: Tracer.Tracer, { tracesSampleShare, tracesStatements }: SettingsShape): Tracer.Tracer =>
  Tracer.make({
    context: (run, fiber) => tracer.context(run, fiber),
    span: (name, parent, ...rest) => {
      const span = tracer.span(name, parent, ...rest)
      const isUnsampled = Option.exists(parent, ({ sampled }) => !sampled) ||
        !isSampled(span.traceId, tracesSampleShare)
      if (isUnsampled) return Object.assign(span, noopSpanMethods)
      return tracesStatements || !name.startsWith("sql.") ? span : dropStatement(span)
    }
  })

/** Warns once when the collector stops taking spans, and says when it takes them again. */
const reportOutages = (client: HttpClient.HttpClient): HttpClient.HttpClient => {
  let isOut = false
  const reportFailure = (why: string) =>
    Effect.suspend(() => {
      if (isOut) return Effect.void
      isOut = true
      return Effect.logWarning(
        `The trace collector (SVC_OTEL_EXPORTER_OTLP_ENDPOINT) does not take spans: ${why}. They are dropped until it does.`
      )
    })
  const reportRecovery = Effect.suspend(() => {
    if (!isOut) return Effect.void
    isOut = false
    return Effect.logInfo("The trace collector accepts spans again.")
  })
  return HttpClient.transformResponse(client, (response) =>
    response.pipe(
      Effect.tap(({ status }) => (status < 300 ? reportRecovery : reportFailure(`it answers ${status}`))),
      Effect.tapError((error) => reportFailure(error.message))
    ))
}

const layerClient = Layer.provide(
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, reportOutages)),
  FetchHttpClient.layer
)

/**
 * No spans. Tracing is also disabled on the platform's HTTP server, which would otherwise parse the URL and copy
 * headers for each span.
 */
const layerOff = Layer.merge(
  Layer.setTracerEnabled(false),
  Layer.scopedDiscard(Effect.locallyScoped(HttpMiddleware.currentTracerDisabledWhen, () => true))
)

/** Spans go to the collector's `/v1/traces` when one is set; otherwise no spans are created. */
export const layer = Layer.unwrapScoped(Effect.gen(function*() {
  const settings = yield* Settings
  if (settings.otlpEndpoint === "") return layerOff
  const tracer = yield* OtlpTracer.make({
    url: `${settings.otlpEndpoint.replace(/\/+$/, "")}/v1/traces`,
    resource: { serviceName: "svc", serviceVersion: version }
  })
  return Layer.setTracer(filterSpans(tracer, settings))
})).pipe(Layer.provide(OtlpSerialization.layerJson), Layer.provide(layerClient))
