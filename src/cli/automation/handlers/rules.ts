import { Console, Effect, Option, Schema, Stream } from "effect"
import { type Rule, RuleCreate } from "../../../domain/automation/Automation.ts"
import { type Counted, type RuleBacktest, RuleBacktestRequest } from "../../../domain/automation/Backtest.ts"
import type { Execution } from "../../../domain/automation/Execution.ts"
import { decodeInput } from "../../io/DecodeInput.ts"
import { standardInput } from "../../io/StandardInput.ts"
import { type Column, formatAge, formatFields, formatTable, type View } from "../../io/Table.ts"
import { escapeJson, escapeText } from "../../io/TerminalText.ts"
import { CliError } from "../../program/Explain.ts"
import { printAnswer, type Remote, withRemote } from "../../remote/Remote.ts"

interface Printing {
  readonly project: Option.Option<string>
  readonly json: boolean
}

interface OfRule extends Printing {
  readonly rule: string
}

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
  { head: "NAME", cell: ({ name }) => name, maxLength: 60, minLength: 12 },
  { head: "STATE", cell: stateOf },
  { head: "TRIGGER", cell: ({ trigger }) => trigger },
  { head: "CONDITIONS", cell: conditionsOf, maxLength: 60, minLength: 10, dropRank: 2 },
  { head: "DOES", cell: actionsOf },
  { head: "CHANGED", cell: ({ updated_at }, view) => formatAge(updated_at, view), dropRank: 1 },
  { head: "ID", cell: ({ id }) => id, dropRank: 3 }
]

const executionColumns: ReadonlyArray<Column<Execution>> = [
  { head: "WHEN", cell: ({ occurred_at }, view) => formatAge(occurred_at, view) },
  { head: "OUTCOME", cell: ({ outcome }) => outcome },
  { head: "ACTION", cell: ({ action }) => action },
  { head: "TIMES", cell: ({ occurrences }) => occurrences },
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 12 },
  { head: "TASK ID", cell: ({ task_id }) => task_id, dropRank: 2 },
  { head: "COMMAND", cell: ({ command_status }) => command_status, hidesEmpty: true, dropRank: 1 },
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

export const list = ({ json, project }: Printing) =>
  withRemote(project, ({ api, slug }) =>
    Effect.flatMap(
      api.automation.list({ path: { slug }, withResponse: true }),
      (answer) => printAnswer(answer, json, ({ items }, _text, view) => formatTable(columns, items, view))
    ))

/** The rule of this name or id. */
const findRule = ({ api, slug }: Remote, given: string) =>
  Effect.gen(function*() {
    const { items } = yield* api.automation.list({ path: { slug } })
    const [found, ...others] = items.filter(({ id, name }) => name === given || id === given.toLowerCase())
    if (found === undefined) {
      return yield* new CliError({
        message: `no such rule: ${escapeText(given)}. svc rules list shows those of the project`
      })
    }
    if (others.length > 0) {
      return yield* new CliError({
        usage: true,
        message: `several rules are named ${escapeText(given)}: name one by its id, ${
          [found, ...others].map(({ id }) => id).join(" or ")
        }`
      })
    }
    return found
  })

export const show = ({ json, project, rule: given }: OfRule) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const rule = yield* findRule(remote, given)
      const path = { slug: remote.slug, rule_id: rule.id }
      const urlParams = { limit: shownExecutions }
      const answer = yield* remote.api.automation.executions({ path, urlParams, withResponse: true })
      if (json) {
        return yield* Console.log(escapeJson(JSON.stringify({ ...rule, executions: answer[0].items })))
      }
      yield* printAnswer(answer, false, ({ items }, _text, view) =>
        `${formatRule(rule)}\n\n${
          items.length === 0 ? "it has done nothing yet" : formatTable(executionColumns, items, view)
        }`)
    }))

const change = (
  { json, project, rule: given }: OfRule,
  payload: { readonly is_enabled: boolean; readonly dry_run?: boolean }
) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id } = yield* findRule(remote, given)
      const path = { slug: remote.slug, rule_id: id }
      const answer = yield* remote.api.automation.update({ path, payload, withResponse: true })
      yield* printAnswer(answer, json, (rule) =>
        `${payload.is_enabled ? "enabled" : "disabled"} ${escapeText(rule.name)}${
          !payload.is_enabled ? "" : rule.dry_run ? ", as a dry run" : `: ${actionsOf(rule) || "it does nothing"}`
        }`)
    }))

export const enable = ({ dryRun, ...target }: OfRule & { readonly dryRun: Option.Option<"on" | "off"> }) =>
  change(target, { is_enabled: true, ...(Option.isSome(dryRun) && { dry_run: dryRun.value === "on" }) })

export const disable = (target: OfRule) => change(target, { is_enabled: false })

export const reset = ({ json, project, rule: given }: OfRule) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { id } = yield* findRule(remote, given)
      const path = { slug: remote.slug, rule_id: id }
      const answer = yield* remote.api.automation.resetCircuit({ path, withResponse: true })
      yield* printAnswer(answer, json, ({ name }) => `armed the breaker of ${escapeText(name)}`)
    }))

const RuleInput = Schema.compose(Schema.Unknown, RuleCreate, { strict: false })

const readRule = standardInput.pipe(
  Stream.decodeText(),
  Stream.mkString,
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

export const backtest = ({ days, json, project, rule: given }: Printing & {
  readonly rule: Option.Option<string>
  readonly days: number
}) =>
  withRemote(project, (remote) =>
    Effect.gen(function*() {
      const { days: checked } = yield* decodeInput(RuleBacktestRequest, { days }, "options")
      const payload = Option.isSome(given)
        ? { rule_id: (yield* findRule(remote, given.value)).id, days: checked }
        : { rule: yield* readRule, days: checked }
      const path = { slug: remote.slug }
      const answer = yield* remote.api.automation.backtest({ path, payload, withResponse: true })
      yield* printAnswer(answer, json, formatBacktest)
    }))

const times = (count: number): string => (count === 1 ? "once" : `${count} times`)

const minute = (at: string): string => `${at.slice(0, 16).replace("T", " ")}Z`

const reasons = [
  ["degraded", "its breaker was tripped"],
  ["ceiling", "the project's ceiling per minute was reached"],
  ["loop_guard", "the retries of the task were used up"],
  ["not_allowed", "no such command is possible"]
] as const

const heldLines = ({ held_back }: RuleBacktest): ReadonlyArray<string> =>
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
  { head: "WHEN", cell: ({ occurred_at }, view) => formatAge(occurred_at, view) },
  { head: "OUTCOME", cell: ({ outcome }) => outcome },
  { head: "TASK", cell: ({ task_name }) => task_name, maxLength: 60, minLength: 12, hidesEmpty: true },
  { head: "TASK ID", cell: ({ task_id }) => task_id, hidesEmpty: true },
  { head: "DETAIL", cell: ({ detail }) => detail, maxLength: 60, minLength: 10, hidesEmpty: true }
]

const formatBacktest = (found: RuleBacktest, _text: string, view: View): string =>
  [
    `${minute(found.covered_from)} to ${minute(found.covered_until)}: ${found.trigger} matched ${
      times(found.matched)
    }, ` +
    `the rule would have acted ${times(found.would_execute)}`,
    ...heldLines(found),
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
