import { Console, Effect, Option, Schema } from "effect"
import { type Rule, RuleCreate } from "../../../domain/automation/Automation.ts"
import { type Counted, type RuleBacktest, RuleBacktestRequest } from "../../../domain/automation/Backtest.ts"
import type { Execution } from "../../../domain/automation/Execution.ts"
import { outcomeNames } from "../../commands/BulkRetryProgress.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { findOne } from "../../io/Find.ts"
import { standardText } from "../../io/StandardInput.ts"
import { type Column, formatAge, formatFields, formatTable, idColumn, type View } from "../../io/Table.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf } from "../../program/Group.ts"
import { call, list, show } from "../../remote/Handlers.ts"
import { printResponse, type Remote } from "../../remote/Remote.ts"
import type { definitions } from "../rules.ts"

const stateOf = ({ cb_tripped, dry_run, is_enabled }: Rule): string => {
  if (!is_enabled) return "disabled"
  if (cb_tripped) return "tripped"
  return dry_run ? "dry run" : "active"
}

const actionsOf = ({ actions }: Pick<Rule, "actions">): string =>
  actions.map((action) => action.type === "retry" ? `retry (${action.max_retries})` : action.type).join(", ")

const conditionsOf = ({ conditions }: Pick<Rule, "conditions">): string =>
  Object.entries(conditions).map(([name, value]) =>
    `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`
  ).join(" ")

const columns: ReadonlyArray<Column<Rule>> = [
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 20 },
  { head: "STATE", cell: stateOf },
  { head: "TRIGGER", cell: ({ trigger }) => trigger },
  { head: "CONDITIONS", cell: conditionsOf, maxLength: 60, minLength: 10, dropRank: 2 },
  { head: "DOES", cell: actionsOf },
  { head: "CHANGED", cell: ({ updated_at }, view) => formatAge(updated_at, view), dropRank: 1 },
  idColumn("ID", ({ id }) => id, { dropRank: 3 })
]

const executionColumns: ReadonlyArray<Column<Execution>> = [
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 12 },
  { head: "OUTCOME", cell: ({ outcome }) => outcome },
  { head: "ACTION", cell: ({ action }) => action },
  { head: "TIMES", cell: ({ occurrences }) => occurrences },
  { head: "WHEN", cell: ({ occurred_at }, view) => formatAge(occurred_at, view) },
  idColumn("TASK ID", ({ task_id }) => task_id, { dropRank: 2 }),
  { head: "COMMAND", cell: ({ command_status }) => command_status, hidesEmpty: true, dropRank: 1 },
  {
    head: "THEN",
    cell: ({ task_outcome }) => task_outcome && outcomeNames[task_outcome],
    hidesEmpty: true,
    dropRank: 1
  },
  { head: "REASON", cell: ({ detail }) => detail, maxLength: 80, minLength: 12, hidesEmpty: true }
]

/** Entries of the log that `show` prints. */
const shownExecutions = 10

const formatRule = (rule: Rule): string =>
  formatFields([
    ["rule", rule.id],
    ["name", rule.name],
    ["state", stateOf(rule)],
    ["trigger", rule.trigger],
    ["conditions", conditionsOf(rule)],
    ["does", actionsOf(rule)],
    ["dry run", rule.dry_run ? "yes" : "no"],
    [
      "breaker",
      `${rule.cb_tripped ? "tripped" : "armed"}, ${rule.cb_execution_count} of ${rule.max_executions_per_window} ` +
      `executions in ${rule.window_seconds} s`
    ],
    ["created", rule.created_at],
    ["changed", rule.updated_at]
  ])

/** The rule of this name or id, or part of an id. */
const findRule = ({ api, slug }: Remote, given: string) =>
  Effect.flatMap(
    api.automation.list({ path: { slug } }),
    ({ items }) => findOne(items, { what: "rule", given, nameOf: ({ name }) => name, listedBy: "svc rules list" })
  )

const updateRule = (
  remote: Remote,
  given: string,
  payload: { readonly is_enabled: boolean; readonly dry_run?: boolean }
) =>
  Effect.flatMap(
    findRule(remote, given),
    ({ id }) => remote.api.automation.update({ path: { slug: remote.slug, rule_id: id }, payload, withResponse: true })
  )

const formatChange = (rule: Rule): string => {
  if (!rule.is_enabled) return `disabled ${escapeText(rule.name)}`
  const does = rule.dry_run ? ", as a dry run" : `: ${actionsOf(rule) || "it does nothing"}`
  return `enabled ${escapeText(rule.name)}${does}`
}

const RuleInput = Schema.compose(Schema.Unknown, RuleCreate, { strict: false })

const readRule = standardText.pipe(
  Effect.flatMap((text) =>
    Effect.mapError(
      Schema.decodeUnknown(Schema.parseJson())(text),
      () =>
        new CliError({
          usage: true,
          message:
            "name a rule, or give one on standard input as a JSON object, such as {\"name\": \"…\", \"trigger\": …}"
        })
    )
  ),
  Effect.flatMap((rule) => decodeInput(RuleInput, rule))
)

const times = (count: number): string => (count === 1 ? "once" : `${count} times`)

const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")}Z`

const reasons = [
  ["degraded", "its breaker was tripped"],
  ["ceiling", "the project's ceiling per minute was reached"],
  ["loop_guard", "the retries of the task were used up"],
  ["not_allowed", "no such command is possible"]
] as const

const suppressedLines = ({ held_back }: RuleBacktest): ReadonlyArray<string> =>
  reasons.flatMap(([reason, meaning]) =>
    held_back[reason] === 0 ? [] : [`  held back ${held_back[reason]}: ${meaning}`]
  )

const shownTrips = 5

const tripLines = ({ tripped_at, trips }: RuleBacktest): ReadonlyArray<string> => {
  const first = tripped_at.slice(0, shownTrips).map(minute).join(", ")
  return [
    trips === 0
      ? "its breaker would not have tripped"
      : `its breaker would have tripped ${times(trips)}: ${first}${trips > shownTrips ? ", …" : ""}`
  ]
}

const topLine = (head: string, counts: ReadonlyArray<Counted>): ReadonlyArray<string> =>
  counts.length === 0
    ? []
    : [`${head}: ${counts.slice(0, 5).map(({ count, value }) => `${escapeText(value)} (${count})`).join(", ")}`]

const dayColumns: ReadonlyArray<Column<RuleBacktest["per_day"][number]>> = [
  { head: "DAY", cell: ({ day }) => day },
  { head: "MATCHED", cell: ({ matched }) => matched },
  { head: "WOULD EXECUTE", cell: ({ would_execute }) => would_execute }
]

const sampleColumns: ReadonlyArray<Column<RuleBacktest["samples"][number]>> = [
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 12, hidesEmpty: true },
  { head: "OUTCOME", cell: ({ outcome }) => outcome },
  { head: "WHEN", cell: ({ occurred_at }, view) => formatAge(occurred_at, view) },
  idColumn("TASK ID", ({ task_id }) => task_id, { hidesEmpty: true }),
  { head: "DETAIL", cell: ({ detail }) => detail, maxLength: 60, minLength: 10, hidesEmpty: true }
]

const formatBacktest = (found: RuleBacktest, _text: string, view: View): string =>
  [
    `${minute(found.covered_from)} to ${minute(found.covered_until)}: ${found.trigger} matched ${
      times(found.matched)
    }, ` +
    `the rule would have acted ${times(found.would_execute)}`,
    ...suppressedLines(found),
    ...tripLines(found),
    ...topLine("tasks", found.task_names),
    ...topLine("failure groups", found.fingerprints),
    ...topLine("workers", found.workers),
    ...(found.per_day.length < 2 ? [] : ["", formatTable(dayColumns, found.per_day, view)]),
    ...(found.samples.length === 0 ? [] : ["", formatTable(sampleColumns, found.samples, view)]),
    "",
    ...(found.truncated
      ? [`There was more history than one backtest reads (${found.scanned} rows): it begins later than asked.`]
      : []),
    ...found.notes.map(escapeText)
  ].join("\n")

export const handlers: HandlersOf<typeof definitions> = {
  list: list(columns, ({ api, slug }) => api.automation.list({ path: { slug }, withResponse: true })),
  show: call(function*(remote, { json, rule: given }) {
    const rule = yield* findRule(remote, given)
    const path = { slug: remote.slug, rule_id: rule.id }
    const urlParams = { limit: shownExecutions }
    const response = yield* remote.api.automation.executions({ path, urlParams, withResponse: true })
    if (json) {
      return yield* Console.log(escapeJson(JSON.stringify({ ...rule, executions: response[0].items })))
    }
    yield* printResponse(
      response,
      false,
      ({ items }, _text, view) =>
        `${formatRule(rule)}\n\n${
          items.length === 0 ? "it has done nothing yet" : formatTable(executionColumns, items, view)
        }`
    )
  }),
  enable: show((remote, { dryRun, rule }) => {
    const mode = Option.isSome(dryRun) && { dry_run: dryRun.value === "on" }
    return updateRule(remote, rule, { is_enabled: true, ...mode })
  }, formatChange),
  disable: show((remote, { rule }) => updateRule(remote, rule, { is_enabled: false }), formatChange),
  reset: show(function*(remote, { rule }) {
    const { id } = yield* findRule(remote, rule)
    return yield* remote.api.automation.resetCircuit({ path: { slug: remote.slug, rule_id: id }, withResponse: true })
  }, ({ name }) => `armed the breaker of ${escapeText(name)}`),
  backtest: show(function*(remote, { days: given, rule }) {
    const { days } = yield* decodeInput(RuleBacktestRequest, { days: given }, "options")
    const payload = Option.isSome(rule)
      ? { rule_id: (yield* findRule(remote, rule.value)).id, days }
      : { rule: yield* readRule, days }
    return yield* remote.api.automation.backtest({ path: { slug: remote.slug }, payload, withResponse: true })
  }, formatBacktest)
}
