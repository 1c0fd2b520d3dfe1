/**
 * The brain of the soak: `svc serve` with retentions of minutes, where the settings count in days, and with hourly loops
 * that run once a minute. Every table reaches its plateau within the run. `argv`: `serve --port <port>`.
 */
import { Clock, Duration, Effect } from "effect"
import { announce, runServer } from "../../src/cli/operations/ServedBrain.ts"
import { runMain } from "../../src/cli/program/RunMain.ts"
import { settings } from "../../src/cli/program/Settings.ts"
import { holdYoungGeneration } from "../../src/cli/program/StartupHeap.ts"
import { retentionMinutes } from "./retention.ts"

const days = retentionMinutes / 1440

const layer = settings({
  port: Number(process.argv.at(-1)),
  tasksRetentionDays: days,
  failureGroupsRetentionDays: days,
  rollupMinutesRetentionDays: days,
  commandsRetentionDays: days,
  scheduleFiresRetentionDays: days,
  scheduleMisfiresRetentionDays: days,
  triggerEventsRetentionDays: days,
  deliveriesRetentionDays: days,
  userNotificationsRetentionDays: days,
  bulkRetryRetentionDays: days,
  automationExecutionsRetentionDays: days,
  exportJobsRetentionDays: days,
  agentHealthRetentionDays: days,
  workersRetentionDays: days,
  sessionsRetentionDays: days,
  apiKeysRetentionDays: days,
  approvalsRetentionDays: days,
  invitationsRetentionDays: days,
  alertsRetentionDays: days,
  auditRetentionDays: days,
  sessionAbsoluteLifetime: 60
})

const longMillis = 600_000

/** Time as it is; sleeps of ten minutes and more take a sixtieth. */
const impatient = (clock: Clock.Clock): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis(),
  currentTimeMillis: clock.currentTimeMillis,
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) =>
    clock.sleep(Duration.toMillis(duration) < longMillis ? duration : Duration.times(duration, 1 / 60))
})

const serve = Effect.zipRight(holdYoungGeneration, runServer(layer, announce))

runMain({
  name: "svc",
  run: () => Effect.clockWith((clock) => Effect.withClock(serve, impatient(clock)))
})
