import { type TaskState, taskStates } from "./states.ts"

/**
 * The line above the list of tasks: terms such as `state:failure queue:"slow mail" since:1h`, and words that are searched
 * for. It is the list's whole filter, and its place is the address of the page.
 */
export interface TaskQuery {
  readonly state?: TaskState
  readonly priority?: string
  readonly name?: string
  readonly queue?: string
  readonly engine?: string
  readonly worker?: string
  /** Of a failure group. */
  readonly fingerprint?: string
  /** An age such as `1h`, or a moment such as `2026-11-22T10:00Z`. */
  readonly since?: string
  readonly until?: string
  readonly search?: string
}

export type QueryProblem =
  | { readonly kind: "term"; readonly term: string }
  | { readonly kind: "value"; readonly term: string; readonly value: string }
  | { readonly kind: "quote" }

const priorities = ["critical", "high", "normal", "low"]
const terms = ["state", "priority", "name", "queue", "engine", "worker", "fingerprint", "since", "until"] as const
type Term = (typeof terms)[number]

const isTerm = (name: string): name is Term => (terms as ReadonlyArray<string>).includes(name)

const unitMillis: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 6048e5 }

/** Epoch milliseconds of an age before `now`, or of a moment; null for neither. */
export const parseMoment = (text: string, now: number): number | null => {
  const [, count, unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (count !== undefined) return now - Number(count) * (unitMillis[unit] ?? 0)
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(moment) ? null : moment
}

const isValid = (term: Term, value: string): boolean => {
  if (term === "state") return (taskStates as ReadonlyArray<string>).includes(value)
  if (term === "priority") return value.split(",").every((one) => priorities.includes(one))
  if (term === "since" || term === "until") return parseMoment(value, 0) !== null
  return value !== ""
}

const token = /\s*(?:([A-Za-z_]+):)?(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))/y

/** The terms of the line, and what is wrong with it. A term that is wrong is left out, so that the rest still filters. */
export const parseQuery = (
  line: string
): { readonly query: TaskQuery; readonly problems: ReadonlyArray<QueryProblem> } => {
  const query: Partial<Record<Term, string>> = {}
  const words: Array<string> = []
  const problems: Array<QueryProblem> = []
  token.lastIndex = 0
  while (token.lastIndex < line.trimEnd().length) {
    const found = token.exec(line)
    if (found === null) {
      problems.push({ kind: "quote" })
      break
    }
    const [, name, quoted, plain] = found
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? ""
    if (name === undefined) words.push(value)
    else if (!isTerm(name)) problems.push({ kind: "term", term: name })
    else if (isValid(name, value)) query[name] = value
    else problems.push({ kind: "value", term: name, value })
  }
  // isValid has checked the state
  return { query: { ...query, ...(words.length > 0 && { search: words.join(" ") }) } as TaskQuery, problems }
}

const quote = (value: string) => (/[\s":\\]/.test(value) ? `"${value.replace(/["\\]/g, "\\$&")}"` : value)

/** The line of these terms, in a fixed order. */
export const formatQuery = (query: TaskQuery): string =>
  [
    ...terms.flatMap((term) => (query[term] === undefined ? [] : [`${term}:${quote(query[term])}`])),
    ...(query.search === undefined ? [] : [/[":\\]/.test(query.search) ? quote(query.search) : query.search])
  ].join(" ")

/** The terms as parameters of the API's list. */
export const toParameters = ({ since, until, search, ...same }: TaskQuery, now: number) => {
  const moment = (text: string | undefined) => {
    const at = text === undefined ? null : parseMoment(text, now)
    return at === null ? undefined : new Date(at).toISOString()
  }
  const from = moment(since)
  const to = moment(until)
  return {
    ...same,
    ...(search !== undefined && { search, search_exceptions: true }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to })
  }
}

interface Matchable {
  readonly state: string
  readonly name: string
  readonly queue: string | null
  readonly engine: string
  readonly worker_name: string | null
  readonly priority: string
  readonly task_id: string
}

/** Whether a task that has just appeared belongs to the list. A search may also match what the live stream leaves out. */
export const matches = (query: TaskQuery, task: Matchable): boolean =>
  (query.state === undefined || query.state === task.state) &&
  (query.priority === undefined || query.priority.split(",").includes(task.priority)) &&
  (query.name === undefined || task.name.includes(query.name)) &&
  (query.queue === undefined || query.queue === task.queue) &&
  (query.engine === undefined || query.engine === task.engine) &&
  (query.worker === undefined || query.worker === task.worker_name) &&
  query.until === undefined &&
  query.fingerprint === undefined && // the live stream leaves it out
  (query.search === undefined ||
    [task.name, task.queue ?? "", task.worker_name ?? "", task.task_id].some((text) =>
      text.toLowerCase().includes((query.search ?? "").toLowerCase())
    ))
