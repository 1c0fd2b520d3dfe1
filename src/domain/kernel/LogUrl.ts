/** The link from a task to its log in another system, made of `SVC_LOG_URL_TEMPLATE`. */

const PLACEHOLDERS = [
  "project",
  "engine",
  "task_id",
  "name",
  "queue",
  "worker",
  "received",
  "started",
  "ended"
] as const

/** The value of each placeholder; null and absent: not known. */
export type LogUrlValues = Readonly<Record<typeof PLACEHOLDERS[number], string | null>>

const fill = (template: string, valueOf: (name: string) => string): string =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name).toWellFormed()))

/** What is wrong with the template; null: nothing. A value must not decide which server the link leads to. */
export const findTemplateProblem = (template: string): string | null => {
  const [, server = ""] = /^https?:\/\/([^/?#]*)/i.exec(template) ?? []
  if (server === "" || !URL.canParse(fill(template, () => "x"))) return "must be an http or https URL"
  if (server.includes("{")) return "must not have a placeholder in the name of the server"
  const known: ReadonlyArray<string> = PLACEHOLDERS
  const unknown = [...template.matchAll(/\{(\w*)\}/g)].find(([, name = ""]) => !known.includes(name))
  return unknown === undefined
    ? null
    : `has the unknown placeholder ${unknown[0]}; known are ${known.map((name) => `{${name}}`).join(", ")}`
}

/** Null without a template. A placeholder whose value is not known is empty. */
export const makeLogUrl = (template: string, values: LogUrlValues): string | null => {
  const byName = new Map<string, string | null>(Object.entries(values))
  return template === "" ? null : fill(template, (name) => byName.get(name) ?? "")
}
