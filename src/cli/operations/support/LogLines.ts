import type { Redact } from "./Redact.ts"

const isText = (value: unknown): value is string => typeof value === "string"

const matches = (pattern: RegExp) => (value: unknown): boolean => isText(value) && pattern.test(value)

/** The fields of a log line that have a closed form, and the form. */
const closed: Readonly<Record<string, (value: unknown) => boolean>> = {
  ts: matches(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  level: matches(/^(debug|info|warning|error|critical)$/),
  request_id: matches(/^[0-9a-f-]{36}$/),
  user_id: matches(/^[0-9a-f-]{36}$/),
  project_id: matches(/^[0-9a-f-]{36}$/),
  agent_id: matches(/^[0-9a-f-]{36}$/),
  trace_id: matches(/^[0-9a-f]{32}$/),
  status: (value) => typeof value === "number",
  duration_ms: (value) => typeof value === "number"
}

/** The fields that are sentences. */
const sentences = ["logger", "msg", "error"]

const parseObject = (line: string): object | null => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? value : null
  } catch {
    return null
  }
}

/** One line of the brain's log: the fields with a closed form, and its sentences redacted. No other field. */
export const redactLogLine = (redact: Redact) => (line: string): string => {
  const entry = parseObject(line)
  if (entry === null) return JSON.stringify({ msg: redact(line) })
  const fields: Array<readonly [string, unknown]> = []
  for (const [name, hasForm] of Object.entries(closed)) {
    const value: unknown = Reflect.get(entry, name)
    if (hasForm(value)) fields.push([name, value])
  }
  for (const name of sentences) {
    const value: unknown = Reflect.get(entry, name)
    if (isText(value)) fields.push([name, redact(value)])
  }
  return JSON.stringify(Object.fromEntries(fields))
}

/** Labels with values of our own: no names of tasks, projects, queues or engines, and no addresses. */
const closedLabels = new Set([
  "action",
  "cause",
  "connection",
  "consumer",
  "kind",
  "le",
  "method",
  "module",
  "outcome",
  "quantile",
  "reason",
  "route",
  "site",
  "space",
  "state",
  "status",
  "table",
  "task",
  "transport",
  "type",
  "version"
])

/** The samples of `/metrics` whose labels all have values of our own. */
export const selectMetrics = (text: string): string =>
  text.split("\n").filter((line) =>
    !line.startsWith("#") && [...line.matchAll(/(\w+)="/g)].every(([, label = ""]) => closedLabels.has(label))
  ).join("\n")
