import { Console, Effect } from "effect"
import type { Alert } from "../../../domain/alerting/Notification/Alert.ts"
import { AlertId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { givenOf } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, idColumn } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { listPages } from "../../remote/ListAll.ts"
import type { Remote } from "../../remote/Remote.ts"
import { resolveId } from "../../remote/ResolveId.ts"
import type { definitions } from "../alerts.ts"

const columns: ReadonlyArray<Column<Alert>> = [
  { head: "TITLE", cell: ({ title }) => title, maxLength: 80, minLength: 20 },
  { head: "STATUS", cell: ({ acknowledged_at, status }) => (acknowledged_at === null ? status : "acknowledged") },
  { head: "SEVERITY", cell: ({ severity }) => severity, dropRank: 2 },
  { head: "TIMES", cell: ({ occurrences }) => occurrences },
  { head: "LAST", cell: ({ last_at }, view) => formatAge(last_at, view) },
  idColumn("ID", ({ id }) => id)
]

const formatAlert = (alert: Alert): string =>
  formatFields([
    ["title", alert.title],
    ["alert", alert.id],
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

/** The path of the alert of this id, or part of one. */
const pathOf = ({ api, slug }: Remote, given: string) => {
  const list = Effect.map(
    listPages((urlParams) => api.alerts.list({ path: { slug }, urlParams })),
    (pages) => pages.flatMap(({ items }) => items)
  )
  const sought = { what: "alert", given, nameOf: ({ title }: Alert) => title, listedBy: "svc alerts list" }
  return Effect.map(resolveId(AlertId, list, sought), (alert_id) => ({ slug, alert_id }))
}

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }, { cursor, limit, status }) => {
    const urlParams = { limit, ...givenOf({ cursor, status }) }
    return api.alerts.list({ path: { slug }, urlParams, withResponse: true })
  }),
  show: show(function*(remote, { alert }) {
    const path = yield* pathOf(remote, alert)
    return yield* remote.api.alerts.get({ path, withResponse: true })
  }, formatAlert),
  ack: call(function*(remote, { alert, undo }) {
    const path = yield* pathOf(remote, alert)
    const { title } = yield* remote.api.alerts.acknowledge({ path, payload: { acknowledged: !undo } })
    yield* Console.log(`${undo ? "took back the acknowledgement of" : "acknowledged"}: ${escapeText(title)}`)
  }),
  snooze: call(function*(remote, { alert, minutes }) {
    const path = yield* pathOf(remote, alert)
    const until = minutes <= 0 ? null : Timestamp.addSeconds(yield* Timestamp.now, minutes * 60)
    const { title } = yield* remote.api.alerts.snooze({ path, payload: { until } })
    yield* Console.log(`${until === null ? "snooze ended" : `snoozed until ${until}`}: ${escapeText(title)}`)
  })
}
