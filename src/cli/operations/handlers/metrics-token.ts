import { Console, Redacted } from "effect"
import { readMetricsToken, rotateMetricsToken } from "../../../layers/Keys.ts"
import { Settings } from "../../../services/kernel/Settings.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { handleWithSettings } from "../../program/Settings.ts"
import type { tokenDefinitions } from "../config.ts"

export const handlers: HandlersOf<typeof tokenDefinitions> = {
  /** The token alone, for `$(svc metrics-token)`. Created on first use. */
  "metrics-token": handleWithSettings(function*() {
    yield* Console.log(Redacted.value(yield* readMetricsToken))
  }),
  rotate: handleWithSettings(function*() {
    const { metricsAuthToken } = yield* Settings
    if (metricsAuthToken !== null) {
      return yield* new CliError({
        message:
          "SVC_METRICS_AUTH_TOKEN sets the token, so a new one in SVC_HOME would have no effect; change the setting"
      })
    }
    const file = yield* rotateMetricsToken
    yield* Console.log(
      `wrote a new token to ${file}. Restart every brain that uses this SVC_HOME: until then it accepts the old token only. ` +
        "Then give the new one to the scrapers of /metrics (svc metrics-token prints it)"
    )
  })
}
