/** Whether a rule's conditions hold. Plain code: each occurrence of each event passes here. */
import { compileGlob } from "../kernel/Glob.ts"
import type { Conditions } from "./Conditions.ts"

/** What an event is compared by; null: not known, so that a condition on it does not hold. */
export interface EventFacts {
  readonly engine: string | null
  readonly queue: string | null
  readonly task_name: string | null
  readonly priority: string | null
  readonly fingerprint: string | null
}

/** What one of its occurrences is compared by besides. */
export interface OccurrenceFacts {
  /** The first line of the exception. */
  readonly detail: string | null
  readonly runtime_ms: number | null
}

type Test = (event: EventFacts, occurrence: OccurrenceFacts) => boolean

const listOf = <A>(value: A | ReadonlyArray<A>): ReadonlyArray<A> =>
  // the cast: Array.isArray does not narrow a readonly array
  Array.isArray(value) ? value as ReadonlyArray<A> : [value as A]

const isGlob = (pattern: string): boolean => /[*?[]/.test(pattern)

const isOneOf = (field: "engine" | "queue" | "priority" | "fingerprint", allowed: string | ReadonlyArray<string>) => {
  const values = new Set(listOf(allowed))
  return (event: EventFacts): boolean => {
    const value = event[field]
    return value !== null && values.has(value)
  }
}

const compileException = (pattern: string): (line: string) => boolean =>
  isGlob(pattern) ? compileGlob(pattern) : (line) => line.includes(pattern)

/** The test of all conditions. */
export const compileConditions = (conditions: Conditions): Test => {
  const tests: Array<Test> = []
  for (const field of ["engine", "queue", "priority", "fingerprint"] as const) {
    const allowed = conditions[field]
    if (allowed !== undefined) tests.push(isOneOf(field, allowed))
  }
  if (conditions.task_name !== undefined) {
    const globs = listOf(conditions.task_name).map(compileGlob)
    tests.push(({ task_name }) => task_name !== null && globs.some((matches) => matches(task_name)))
  }
  if (conditions.runtime !== undefined) {
    const { max_ms = Infinity, min_ms = 0 } = conditions.runtime
    tests.push((_event, { runtime_ms }) => runtime_ms !== null && runtime_ms >= min_ms && runtime_ms <= max_ms)
  }
  if (conditions.exception !== undefined) {
    const patterns = listOf(conditions.exception).map(compileException)
    tests.push((_event, { detail }) => detail !== null && patterns.some((matches) => matches(detail)))
  }
  return (event, occurrence) => tests.every((test) => test(event, occurrence))
}
