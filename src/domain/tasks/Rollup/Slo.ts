/**
 * How fast an error budget is used up: the burn rate of Google's "The Site Reliability Workbook", chapter 5. A service
 * whose objective is 99 % may fail 1 % of its tasks; at a burn rate of 1 that budget lasts exactly its 30 days.
 */
import { Schema } from "effect"
import { describeBody, describeField } from "../../kernel/Describe.ts"
import { wholeNumber } from "../../kernel/Query.ts"
import { text } from "../../kernel/Text.ts"

/** Minutes of each window, and the days for which the budget is meant. */
export const burnWindows = { "5m": 5, "30m": 30, "1h": 60, "6h": 360, "72h": 4320, "30d": 43_200 } as const
export type BurnWindow = keyof typeof burnWindows

const objectiveMessage = () => "must be a percentage from 50 to 99.999, such as 99.5"

const Objective = Schema.compose(
  Schema.String.pipe(Schema.pattern(/^\d{2}(\.\d{1,3})?$/, { message: objectiveMessage })),
  Schema.NumberFromString.pipe(Schema.between(50, 99.999, { message: objectiveMessage }))
).annotations({ jsonSchema: { type: "number", minimum: 50, maximum: 99.999 } })

/** The query of `GET /projects/{slug}/slo`. */
export const FindBurnRates = Schema.Struct({
  objective: describeField(
    Schema.optional(Objective),
    "The share of good tasks that is promised, in percent; 99 unless given.",
    99.5
  ),
  max_runtime_ms: describeField(
    Schema.optional(wholeNumber(1, 999_999_999)),
    "A task is good if it ran at most this long, however it ended; unless given, if it succeeded.",
    2000
  ),
  engine: describeField(Schema.optional(text(40, 1)), "Only tasks of this engine.", "celery"),
  queue: describeField(Schema.optional(text(200, 1)), "Only tasks of this queue.", "default"),
  name: describeField(Schema.optional(text(500, 1)), "Only tasks of this name.", "shop.pay")
})
export type FindBurnRates = typeof FindBurnRates.Type

export const Burn = Schema.Struct({
  window: describeField(Schema.Literal("5m", "30m", "1h", "6h", "72h", "30d"), "How far back.", "1h"),
  total: describeField(Schema.Int, "Tasks that are good or bad.", 1200),
  bad: describeField(Schema.Int, "Those that are not good.", 12),
  burn_rate: describeField(
    Schema.NullOr(Schema.Number),
    "The share of bad tasks, divided by the share that the objective allows; null without a task.",
    1
  )
}).annotations(describeBody("BurnRate", "How fast the error budget is used up in a window."))

export const BurnRates = Schema.Struct({
  objective: describeField(Schema.Number, "The objective, in percent.", 99),
  windows: describeField(Schema.Array(Burn), "The windows, shortest first."),
  alert: describeField(
    Schema.NullOr(Schema.Literal("page", "ticket")),
    "What the workbook's rule says: `page`, `ticket`, or null.",
    null
  ),
  budget_left: describeField(
    Schema.NullOr(Schema.Number),
    "The share of the budget of 30 days that is left; negative when it is overspent, null without a task.",
    0.42
  )
}).annotations(describeBody("BurnRates", "How fast a project uses up its error budget."))
export type BurnRates = typeof BurnRates.Type

/** The tasks of a window that are good or bad, and the bad ones. */
export interface WindowCounts {
  readonly total: number
  readonly bad: number
}

const round = (value: number): number => Number(value.toPrecision(4))

const burnRate = ({ bad, total }: WindowCounts, objective: number): number | null =>
  total === 0 ? null : round(bad / total / (1 - objective / 100))

/** The workbook's recommended parameters for several windows and burn rates: a long window says that it matters, a short one that it still lasts. */
const alerts = [
  { alert: "page", long: "1h", short: "5m", rate: 14.4 },
  { alert: "page", long: "6h", short: "30m", rate: 6 },
  { alert: "ticket", long: "72h", short: "6h", rate: 1 }
] as const

export const burnRatesOf = (counts: Readonly<Record<BurnWindow, WindowCounts>>, objective: number): BurnRates => {
  const rate = (window: BurnWindow) => burnRate(counts[window], objective) ?? 0
  const found = alerts.find((rule) => rate(rule.long) >= rule.rate && rate(rule.short) >= rule.rate)
  const spent = burnRate(counts["30d"], objective)
  // the cast: the record's own keys, which Object.keys widens to string
  const windows = Object.keys(burnWindows) as ReadonlyArray<BurnWindow>
  return {
    objective,
    windows: windows.map((window) => ({ window, ...counts[window], burn_rate: burnRate(counts[window], objective) })),
    alert: found?.alert ?? null,
    budget_left: spent === null ? null : round(1 - spent)
  }
}
