import { Console, Effect, Option } from "effect"
import type { Alert, ListAlerts } from "../../../domain/alerting/Notification/Alert.ts"
import { AlertId } from "../../../domain/kernel/Id.ts"
import * as Timestamp from "../../../domain/kernel/Timestamp.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { type Column, formatAge, formatFields, formatPage } from "../../io/Table.ts"
import { escapeText } from "../../io/TerminalText.ts"
import { printAnswer, withRemote } from "../../remote/Remote.ts"

interface Target {
  readonly alert: string
  readonly project: Option.Option<string>
}

const columns: ReadonlyArray<Column<Alert>> = [
  { head: "STATUS", cell: ({ acknowledged_at, status }) => (acknowledged_at === null ? status : "acknowledged") },
  { head: "SEVERITY", cell: ({ severity }) => severity, dropRank: 2 },
  { head: "TITLE", cell: ({ title }) => title, maxLength: 80, minLength: 20 },
  { head: "TIMES", cell: ({ occurrences }) => occurrences },
  { head: "LAST", cell: ({ last_at }, view) => formatAge(last_at, view) },
  { head: "ID", cell: ({ id }) => id }
]

export const list = ({ cursor, json, limit, project, status }: {
  readonly status: Option.Option<NonNullable<ListAlerts["status"]>>
  readonly limit: number
  readonly cursor: Option.Option<string>
  readonly project: Option.Option<string>
  readonly json: boolean
}) =>
  withRemote(project, ({ api, slug }) => {
    const urlParams = {
      limit,
      ...(Option.isSome(cursor) && { cursor: cursor.value }),
      ...(Option.isSome(status) && { status: status.value })
    }
    return Effect.flatMap(
      api.alerts.list({ path: { slug }, urlParams, withResponse: true }),
      (answer) => printAnswer(answer, json, formatPage(columns))
    )
  })

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

export const show = ({ alert, json, project }: Target & { readonly json: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, alert_id: yield* alertIdOf(alert) }
      yield* printAnswer(yield* api.alerts.get({ path, withResponse: true }), json, formatAlert)
    }))

export const ack = ({ alert, project, undo }: Target & { readonly undo: boolean }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, alert_id: yield* alertIdOf(alert) }
      const { title } = yield* api.alerts.acknowledge({ path, payload: { acknowledged: !undo } })
      yield* Console.log(`${undo ? "took back the acknowledgement of" : "acknowledged"}: ${escapeText(title)}`)
    }))

export const snooze = ({ alert, minutes, project }: Target & { readonly minutes: number }) =>
  withRemote(project, ({ api, slug }) =>
    Effect.gen(function*() {
      const path = { slug, alert_id: yield* alertIdOf(alert) }
      const until = minutes <= 0 ? null : Timestamp.addSeconds(yield* Timestamp.now, minutes * 60)
      const { title } = yield* api.alerts.snooze({ path, payload: { until } })
      yield* Console.log(`${until === null ? "snooze ended" : `snoozed until ${until}`}: ${escapeText(title)}`)
    }))
