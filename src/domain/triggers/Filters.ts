import { Schema } from "effect"
import { compileGlob, readEdges } from "../kernel/Glob.ts"
import { TaskPriority } from "../kernel/TaskState.ts"
import type { Trigger, TriggerEvent } from "./Trigger.ts"

/**
 * Which events of its trigger a subscription or default takes (shapes, ProjectSubscriptionFilters and
 * UserSubscriptionFilters; interface, Notification default). A missing or null filter takes all. A filter on a field
 * that an event does not have takes none: an agent has no priority.
 */
export const EventFilters = Schema.Struct({
  /** Any of these; an empty list takes all. */
  priority: Schema.optional(Schema.NullOr(Schema.Array(TaskPriority).pipe(Schema.maxItems(8)))),
  /** The least and the most urgent one. */
  priority_min: Schema.optional(Schema.NullOr(TaskPriority)),
  priority_max: Schema.optional(Schema.NullOr(TaskPriority)),
  /** Patterns of Python's `fnmatch`, in the case of the name. */
  task_name: Schema.optional(Schema.NullOr(Schema.String.pipe(Schema.maxLength(500)))),
  task_name_pattern: Schema.optional(Schema.NullOr(Schema.String.pipe(Schema.maxLength(200)))),
  queue: Schema.optional(Schema.NullOr(Schema.String.pipe(Schema.maxLength(200)))),
  engine: Schema.optional(Schema.NullOr(Schema.String.pipe(Schema.maxLength(40)))),
  /** For `task.failure_rate` alone: that share of at least so many tasks that ended within the window. */
  rate_percent: Schema.optional(Schema.NullOr(Schema.Number.pipe(Schema.between(0.1, 100)))),
  window_seconds: Schema.optional(Schema.NullOr(Schema.Int.pipe(Schema.between(60, 86_400)))),
  min_tasks: Schema.optional(Schema.NullOr(Schema.Int.pipe(Schema.between(1, 1_000_000))))
})
export type EventFilters = typeof EventFilters.Type

/** The fields of an event that filters ask for. */
export type FilteredFields = Pick<TriggerEvent, "engine" | "task_name" | "queue" | "priority">

type MatchedFields = FilteredFields & Pick<TriggerEvent, "trigger">

/** From the least to the most urgent. */
const urgency: ReadonlyArray<string> = ["low", "normal", "high", "critical"] satisfies ReadonlyArray<TaskPriority>

/** Compiles filters to one test. Patterns are read once. */
export const compileFilters = (filters: EventFilters): (event: FilteredFields) => boolean => {
  const tests: Array<(event: FilteredFields) => boolean> = []
  const { engine, priority, priority_max, priority_min, queue, task_name, task_name_pattern } = filters
  if (isText(engine)) tests.push((event) => event.engine === engine)
  if (isText(queue)) tests.push((event) => event.queue === queue)
  if (isGiven(priority) && priority.length > 0) {
    const priorities = new Set<string | null>(priority)
    tests.push((event) => priorities.has(event.priority))
  }
  if (isGiven(priority_min) || isGiven(priority_max)) {
    const least = isGiven(priority_min) ? urgency.indexOf(priority_min) : 0
    const most = isGiven(priority_max) ? urgency.indexOf(priority_max) : urgency.length
    tests.push((event) => {
      const rank = event.priority === null ? -1 : urgency.indexOf(event.priority)
      return rank >= least && rank <= most
    })
  }
  for (const pattern of [task_name, task_name_pattern]) {
    if (!isText(pattern)) continue
    const matches = compileGlob(pattern)
    tests.push((event) => event.task_name !== null && matches(event.task_name))
  }
  const [first, ...others] = tests
  if (first === undefined) return () => true
  return others.length === 0 ? first : (event) => tests.every((test) => test(event))
}

const isGiven = <A>(filter: A | null | undefined): filter is A => filter !== null && filter !== undefined

const isText = (filter: string | null | undefined): filter is string => isGiven(filter) && filter !== ""

/** Who takes the events of a trigger that its filters let through. */
export interface Interest<A> {
  readonly value: A
  readonly trigger: Trigger
  readonly filters: EventFilters
}

/** Combinations of names that a matcher remembers; a project with more begins again. */
const maxKnown = 5000

/** Interests of one trigger with equal filters. */
interface Candidate<A> {
  readonly values: Set<A>
  readonly matches: ReturnType<typeof compileFilters>
}

/**
 * Finds the consumers of an event: the distinct values of the interests that match it. Tasks repeat their names, queues and
 * priorities, so the result for each combination is cached; the first event of one tests only the interests whose
 * pattern begins or ends as the name does.
 */
export const makeMatcher = <A>(interests: ReadonlyArray<Interest<A>>) => {
  const interestsByTrigger = new Map<Trigger, Array<Interest<A>>>()
  for (const interest of interests) addTo(interestsByTrigger, interest.trigger, interest)
  const byTrigger = new Map([...interestsByTrigger].map(([trigger, found]) => [trigger, indexCandidates(found)]))
  const known = new Map<string, ReadonlyArray<A>>()

  const match = (event: MatchedFields): ReadonlyArray<A> => {
    const candidates = byTrigger.get(event.trigger)
    if (candidates === undefined) return none
    const key = keyOf(event)
    const before = known.get(key)
    if (before !== undefined) return before
    const values = new Set<A>()
    candidates.forEach(event.task_name, (candidate) => {
      if (candidate.matches(event)) { for (const value of candidate.values) values.add(value) }
    })
    if (known.size >= maxKnown) known.clear()
    const found = values.size === 0 ? none : [...values]
    known.set(key, found)
    return found
  }

  return {
    /** Whether an event of this trigger can match. */
    hasTrigger: (trigger: Trigger): boolean => byTrigger.has(trigger),
    match
  }
}

/** Candidates by what a task's name must begin with, else by what it must end with. */
const indexCandidates = <A>(interests: ReadonlyArray<Interest<A>>) => {
  const byFilters = new Map<string, Candidate<A>>()
  const byPrefix = new Map<string, Array<Candidate<A>>>()
  const bySuffix = new Map<string, Array<Candidate<A>>>()
  for (const { filters, value } of interests) {
    const key = JSON.stringify(filters)
    const known = byFilters.get(key)
    if (known !== undefined) {
      known.values.add(value)
      continue
    }
    const candidate = { values: new Set([value]), matches: compileFilters(filters) }
    byFilters.set(key, candidate)
    const { task_name, task_name_pattern } = filters
    const { prefix, suffix } = readEdges(isText(task_name) ? task_name : task_name_pattern ?? "")
    if (prefix === "" && suffix !== "") addTo(bySuffix, suffix, candidate)
    else addTo(byPrefix, prefix, candidate)
  }
  const prefixLengths = lengthsOf(byPrefix)
  const suffixLengths = lengthsOf(bySuffix)

  return {
    /** Calls `visit` with each candidate that the name can match. */
    forEach: (name: string | null, visit: (candidate: Candidate<A>) => void): void => {
      const text = name ?? ""
      for (const length of prefixLengths) {
        if (length <= text.length) byPrefix.get(text.slice(0, length))?.forEach(visit)
      }
      for (const length of suffixLengths) {
        if (length <= text.length) bySuffix.get(text.slice(text.length - length))?.forEach(visit)
      }
    }
  }
}

const addTo = <K, A>(index: Map<K, Array<A>>, key: K, value: A): void => {
  const others = index.get(key)
  if (others === undefined) index.set(key, [value])
  else others.push(value)
}

const lengthsOf = (index: ReadonlyMap<string, unknown>): ReadonlyArray<number> => [
  ...new Set([...index.keys()].map((key) => key.length))
]

const none: ReadonlyArray<never> = []

/** No stored name has a NUL or is empty. */
const keyOf = ({ engine, priority, queue, task_name, trigger }: MatchedFields): string =>
  `${trigger}\0${engine ?? ""}\0${queue ?? ""}\0${priority ?? ""}\0${task_name ?? ""}`
