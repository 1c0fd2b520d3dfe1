import { Console, Effect, Redacted } from "effect"
import { readMetricsToken } from "../../layers/Keys.ts"
import { settings } from "../Settings.ts"

/** The token alone, for `$(svc metrics-token)`; made when there is none yet. */
export const run = () =>
  Effect.flatMap(readMetricsToken, (token) => Console.log(Redacted.value(token))).pipe(Effect.provide(settings()))
