import type { Schemas } from "../api/client.ts"

export type Rule = Schemas["AutomationRule"]
export type ListedRule = Schemas["ListedRule"]
export type RuleBody = Schemas["RuleCreate"]
export type Trigger = RuleBody["trigger"]
export type Conditions = Schemas["RuleConditions"]
export type Action = Rule["actions"][number]
/** What describes itself in words: a saved rule, and one to create. */
export type RuleShape = Pick<RuleBody, "trigger" | "conditions" | "actions">

export const triggers: ReadonlyArray<Trigger> = [
  "task.failed",
  "task.succeeded",
  "task.retried",
  "task.orphaned",
  "worker.offline",
  "schedule.misfired"
]

export const conditionKeys = [
  "task_name",
  "exception",
  "queue",
  "engine",
  "priority",
  "runtime",
  "fingerprint"
] as const satisfies ReadonlyArray<keyof Conditions>
export type ConditionKey = (typeof conditionKeys)[number]
/** Conditions whose values are lines of text. */
export type TextKey = Exclude<ConditionKey, "priority" | "runtime">

export const priorities = ["critical", "high", "normal", "low"] as const
export type Priority = (typeof priorities)[number]

/** Conditions that can be evaluated for events without a task (docs/automation.md). */
const answerable: Partial<Record<Trigger, ReadonlyArray<ConditionKey>>> = {
  "worker.offline": ["engine"],
  "schedule.misfired": ["engine", "queue", "task_name", "priority"]
}

export const isAboutTask = (trigger: Trigger): boolean => answerable[trigger] === undefined

export const keysOf = (trigger: Trigger): ReadonlyArray<ConditionKey> => answerable[trigger] ?? conditionKeys

/** Rules that retry or cancel are for admins, also as a dry run. */
export const isDestructive = ({ actions }: Pick<RuleShape, "actions">): boolean =>
  (actions ?? []).some(({ type }) => type !== "notify")

export const valuesOf = <A>(value: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  value === undefined ? [] : Array.isArray(value) ? value : [value as A] // an array is the only other case

/** A rule as its form has it: numbers as they are typed, one alternative of a condition a line. */
export interface RuleDraft {
  readonly name: string
  readonly trigger: Trigger
  /** The conditions on screen, in the order in which they were added. */
  readonly keys: ReadonlyArray<ConditionKey>
  readonly lines: Readonly<Record<TextKey, string>>
  readonly priorities: ReadonlyArray<Priority>
  readonly minMs: string
  readonly maxMs: string
  readonly onTask: "none" | "retry" | "cancel"
  readonly maxRetries: string
  readonly notifies: boolean
  readonly inApp: boolean
  readonly channelIds: ReadonlyArray<string>
  readonly maxExecutions: string
  readonly windowSeconds: string
  readonly dryRun: boolean
  readonly isEnabled: boolean
}

export const newDraft: RuleDraft = {
  name: "",
  trigger: "task.failed",
  keys: ["task_name"],
  lines: { task_name: "", exception: "", queue: "", engine: "", fingerprint: "" },
  priorities: [],
  minMs: "",
  maxMs: "",
  onTask: "none",
  maxRetries: "3",
  notifies: true,
  inApp: true,
  channelIds: [],
  maxExecutions: "100",
  windowSeconds: "3600",
  dryRun: true,
  isEnabled: true
}

const joinLines = (value: string | ReadonlyArray<string> | undefined) => valuesOf(value).join("\n")

export const draftOf = (rule: Rule): RuleDraft => {
  const { conditions: { engine, exception, fingerprint, priority, queue, runtime, task_name } } = rule
  const retry = rule.actions.find(({ type }) => type === "retry")
  const notify = rule.actions.find(({ type }) => type === "notify")
  return {
    name: rule.name,
    trigger: rule.trigger,
    keys: conditionKeys.filter((key) => rule.conditions[key] !== undefined),
    lines: {
      engine: joinLines(engine),
      exception: joinLines(exception),
      fingerprint: joinLines(fingerprint),
      queue: joinLines(queue),
      task_name: joinLines(task_name)
    },
    priorities: valuesOf(priority),
    minMs: String(runtime?.min_ms ?? ""),
    maxMs: String(runtime?.max_ms ?? ""),
    onTask: retry !== undefined ? "retry" : rule.actions.some(({ type }) => type === "cancel") ? "cancel" : "none",
    maxRetries: String(retry?.type === "retry" ? retry.max_retries ?? 3 : 3),
    notifies: notify !== undefined,
    inApp: notify?.type === "notify" ? notify.in_app ?? true : true,
    channelIds: notify?.type === "notify" ? notify.channel_ids ?? [] : [],
    maxExecutions: String(rule.max_executions_per_window),
    windowSeconds: String(rule.window_seconds),
    dryRun: rule.dry_run,
    isEnabled: rule.is_enabled
  }
}

const splitLines = (text: string) => text.split("\n").map((line) => line.trim()).filter((line) => line !== "")

/** One value by itself, several as a list; none is no condition. */
const oneOrMany = <A>(values: ReadonlyArray<A>): A | Array<A> | undefined => {
  const [first] = values
  return values.length < 2 ? first : [...values]
}

const conditionsOf = (draft: RuleDraft): Conditions => {
  const keys = new Set(keysOf(draft.trigger).filter((key) => draft.keys.includes(key)))
  const conditions: Conditions = {}
  for (const key of ["engine", "exception", "fingerprint", "queue", "task_name"] as const) {
    const values = keys.has(key) ? oneOrMany(splitLines(draft.lines[key])) : undefined
    if (values !== undefined) conditions[key] = values
  }
  const priority = keys.has("priority") ? oneOrMany(draft.priorities) : undefined
  if (priority !== undefined) conditions.priority = priority
  if (keys.has("runtime") && (draft.minMs !== "" || draft.maxMs !== "")) {
    conditions.runtime = {
      ...(draft.minMs !== "" && { min_ms: Number(draft.minMs) }),
      ...(draft.maxMs !== "" && { max_ms: Number(draft.maxMs) })
    }
  }
  return conditions
}

const actionsOf = ({ channelIds, inApp, maxRetries, notifies, onTask, trigger }: RuleDraft): Array<Action> => {
  const actions: Array<Action> = []
  if (onTask === "retry" && isAboutTask(trigger)) actions.push({ type: "retry", max_retries: Number(maxRetries) })
  if (onTask === "cancel" && isAboutTask(trigger)) actions.push({ type: "cancel" })
  if (notifies) actions.push({ type: "notify", in_app: inApp, channel_ids: [...channelIds] })
  return actions
}

/** The body of the API; a condition without a value, and one that the trigger cannot evaluate, is left out. */
export const bodyOf = (draft: RuleDraft): RuleBody & Required<Pick<RuleBody, "conditions" | "actions">> => ({
  name: draft.name.trim(),
  trigger: draft.trigger,
  conditions: conditionsOf(draft),
  actions: actionsOf(draft),
  dry_run: draft.dryRun,
  is_enabled: draft.isEnabled,
  max_executions_per_window: Number(draft.maxExecutions),
  window_seconds: Number(draft.windowSeconds)
})

const isBetween = (text: string, min: number, max: number) => {
  const value = Number(text)
  return text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max
}

/** Whether the numbers are such that the API can check the rest. */
export const isComplete = ({ maxExecutions, maxRetries, onTask, windowSeconds }: RuleDraft): boolean =>
  isBetween(maxExecutions, 1, 100_000) && isBetween(windowSeconds, 1, 604_800) &&
  (onTask !== "retry" || isBetween(maxRetries, 1, 100))

export interface Issue {
  readonly path: string
  readonly message: string
}

/** The issues of a problem document; those of a backtest name the rule as `rule`. */
export const issuesOf = (details: Readonly<Record<string, unknown>>): ReadonlyArray<Issue> => {
  if (!Array.isArray(details.issues)) return []
  return (details.issues as ReadonlyArray<Issue>) // the contract of validation_failed
    .map(({ message, path }) => ({ message, path: path.replace(/^rule\./, "") }))
}

/** The field of the form that an issue is about: `actions.1.max_retries` is about the action's type. */
export const fieldOf = ({ path }: Issue, { actions }: Pick<RuleBody, "actions">): string => {
  const [head = "", second = ""] = path.split(".")
  if (head === "conditions") return second
  if (head === "actions") return actions?.[Number(second)]?.type ?? "actions"
  return head
}
