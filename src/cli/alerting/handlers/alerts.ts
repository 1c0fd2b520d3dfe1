import { Console } from "effect"
import type { Alert } from "../../../domain/alerting/Notification/Alert.ts"
import { AlertId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { decodeInput, givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import type { definitions } from "../alerts.ts"

const columns: ReadonlyArray<Column<Alert>> = [
  { head: "STATUS", cell: ({ acknowledged_at, status }) => (acknowledged_at === null ? status : "acknowledged") },
  { head: "SEVERITY", cell: ({ severity }) => severity, dropRank: 2 },
  { head: "TITLE", cell: ({ title }) => title, maxLength: 80, minLength: 20 },
  { head: "TIMES", cell: ({ occurrences }) => occurrences },
  { head: "LAST", cell: ({ last_at }, view) => formatAge(last_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

const formatAlert = (alert: Alert): string =>
  formatFields([
    ["alert", alert.id],
    ["title", alert.title],
    ["status", alert.status],
    ["severity", alert.severity],
    ["trigger", alert.trigger],
    ["times", alert.occurrences],
    ["first", alert.first_at],
    ["last", alert.last_at],
    ["shared", alert.shared.join(", ")],
    ["exception", alert.exception],
    ["last task", alert.task_id],
    ["messages", alert.messages],
    ["acknowledged", alert.acknowledged_at],
    ["snoozed until", alert.snoozed_until]
  ])

const alertIdOf = (given: string) => decodeInput(AlertId, given.toLowerCase())

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }, { cursor, limit, status }) => {
    const urlParams = { limit, ...givenOf({ cursor, status }) }
    return api.alerts.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: show(function*({ api, slug }, { alert }) {
    const path = { slug, alert_id: yield* alertIdOf(alert) }
    return yield* api.alerts.get({ path, withResponse: true })
  }, formatAlert),
  ack: call(function*({ api, slug }, { alert, undo }) {
    const path = { slug, alert_id: yield* alertIdOf(alert) }
    const { title } = yield* api.alerts.acknowledge({ path, payload: { acknowledged: !undo } })
    yield* Console.log(`${undo ? "took back the acknowledgement of" : "acknowledged"}: ${escapeText(title)}`)
  }),
  snooze: call(function*({ api, slug }, { alert, minutes }) {
    const path = { slug, alert_id: yield* alertIdOf(alert) }
    const until = minutes <= 0 ? null : Timestamp.addSeconds(yield* Timestamp.now, minutes * 60)
    const { title } = yield* api.alerts.snooze({ path, payload: { until } })
    yield* Console.log(`${until === null ? "snooze ended" : `snoozed until ${until}`}: ${escapeText(title)}`)
  })
}
