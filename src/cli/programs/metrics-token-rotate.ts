import { Console, Effect } from "effect"
import { rotateMetricsToken } from "../../layers/Keys.ts"
import { Settings } from "../../services/Settings.ts"
import { Refused } from "../Explain.ts"
import { settings } from "../Settings.ts"

export const run = () =>
  Effect.gen(function*() {
    const { metricsAuthToken } = yield* Settings
    if (metricsAuthToken !== null) {
      return yield* new Refused({ message: "SVC_METRICS_AUTH_TOKEN gives the token, so a new one in SVC_HOME would not be used; change it there" })
    }
    const file = yield* rotateMetricsToken
    yield* Console.log(
      `wrote a new token to ${file}. Start every brain that uses this SVC_HOME again: until then it takes the old one only. ` +
        "Then give the new one to whoever reads /metrics (svc metrics-token prints it)"
    )
  }).pipe(Effect.provide(settings()))
