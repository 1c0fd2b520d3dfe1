import { Cause, Data, Effect, HashMap, Layer, Logger, LogLevel, Redacted } from "effect"
import { version } from "../domain/kernel/Version.ts"
import { Settings } from "../services/kernel/Settings.ts"

/** SVC_SENTRY_DSN is set, but the optional package is not there. */
export class SentryMissing extends Data.TaggedError("SentryMissing")<{ readonly cause: unknown }> {
  override get message() {
    return "SVC_SENTRY_DSN is set, but the package @sentry/node is not installed beside svc. Run: npm install @sentry/node"
  }
}

/**
 * Reports every error line that has a cause to Sentry. The package is optional and loaded only when SVC_SENTRY_DSN
 * is set; none of its integrations is switched on, because they would patch modules and record what requests hold.
 */
export const layer = Layer.unwrapScoped(Effect.gen(function*() {
  const { environment, sentryDsn } = yield* Settings
  if (sentryDsn === null) return Layer.empty
  const sentry = yield* Effect.tryPromise({
    try: () => import("@sentry/node"),
    catch: (cause) => new SentryMissing({ cause })
  })
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      sentry.initWithoutDefaultIntegrations({ dsn: Redacted.value(sentryDsn), environment, release: `svc@${version}` })
    ),
    () => Effect.ignore(Effect.tryPromise(() => sentry.close(2000))) // what could not be sent in time is in the log
  )
  return Logger.add(Logger.make(({ annotations, cause, logLevel }) => {
    if (LogLevel.lessThan(logLevel, LogLevel.Error) || Cause.isEmpty(cause)) return
    const tags = Object.fromEntries(HashMap.toEntries(annotations).map(([key, value]) => [key, String(value)]))
    sentry.captureException(Cause.squash(cause), { tags })
  }))
}))
