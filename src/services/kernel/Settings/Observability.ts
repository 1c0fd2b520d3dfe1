import { decimal, flag, integer, sentryProject, url } from "./Kinds.ts"

/** Metrics, traces, crash reports. */
export const observabilitySettings = {
  metricsTaskNames: integer(
    "SVC_METRICS_TASK_NAMES",
    { default: 200, min: 0, max: 10_000 },
    "Task names with series of their own in the metrics of one process; further names are counted as other."
  ),
  otlpEndpoint: url("SVC_OTEL_EXPORTER_OTLP_ENDPOINT", "Base URL of an OTLP/HTTP collector; empty: no tracing."),
  tracesSampleShare: decimal(
    "SVC_TRACES_SAMPLE_SHARE",
    { default: 1, min: 0, max: 1 },
    "Share of traces that are sent to the collector, from 0 to 1."
  ),
  tracesStatements: flag(
    "SVC_TRACES_STATEMENTS",
    { default: false },
    "Traces contain the text of database statements, without their values."
  ),
  sentryDsn: sentryProject("SVC_SENTRY_DSN", "Sentry project to report crashes to; unset: none.")
} as const
