import { Effect, Layer } from "effect"
import { Settings } from "../services/kernel/Settings.ts"
import { layerLogs } from "./Logs.ts"
import * as Sentry from "./Sentry.ts"
import * as Traces from "./Traces.ts"

/** Logs, traces and crash reports of the running brain, as the settings say. */
export const layer = Layer.mergeAll(Traces.layer, Sentry.layer).pipe(
  Layer.provideMerge(Layer.unwrapEffect(Effect.map(Settings, ({ logLevel }) => layerLogs(logLevel))))
)
