import { type Page, page } from "../Page.ts"
import type { Part } from "./Schemas.ts"

/** Renders an OpenAPI document as one page: no script, no other file, no other host. */

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

// the document is JSON of a known form; what is missing reads as empty
const part = (value: unknown): Part => typeof value === "object" && value !== null ? value as Part : {}
const text = (value: unknown): string => typeof value === "string" ? value : ""
const list = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const inline = (given: string) => escape(given).replace(/`([^`]+)`/g, "<code>$1</code>")

const row = (cells: ReadonlyArray<string>) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`

const table = (rows: ReadonlyArray<ReadonlyArray<string>>) => rows.length === 0 ? "" : `<table>${rows.map(row).join("")}</table>`

/** As much of Markdown as the document's sentences use: code, paragraphs, lists and tables. */
const prose = (given: unknown): string =>
  text(given).split("\n\n").map((block) => {
    const lines = block.split("\n").filter((line) => line !== "" && !/^\|[-|]+\|$/.test(line))
    if (block.startsWith("|")) return table(lines.map((line) => line.slice(1, -1).split("|").map((cell) => inline(cell.trim()))))
    if (block.startsWith("- ")) return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join("")}</ul>`
    return `<p>${inline(lines.join(" "))}</p>`
  }).join("")

const nameOf = (ref: unknown) => text(ref).split("/").at(-1) ?? ""

const typeOf = (schema: Part): string => {
  const name = nameOf(schema.$ref)
  if (name !== "") return `<a href="#body-${name}">${name}</a>`
  const either = [...list(schema.anyOf), ...list(schema.allOf)]
  if (either.length > 0) return either.map((one) => typeOf(part(one))).join(" or ")
  if (schema.enum !== undefined) return list(schema.enum).map((word) => `<code>${escape(String(word))}</code>`).join(", ")
  if (schema.type === "array") return `list of ${typeOf(part(schema.items))}`
  return escape([text(schema.type) || "any JSON", text(schema.format)].filter(Boolean).join(", "))
}

const sample = (value: unknown) => value === undefined ? "" : `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`

const fields = ({ properties, required }: Part): string =>
  table(Object.entries(part(properties)).map(([name, schema]) => {
    const { description, examples } = part(schema)
    const [example] = list(examples)
    return [
      `<code>${escape(name)}</code>${list(required).includes(name) ? "" : " <small>optional</small>"}`,
      typeOf(part(schema)),
      inline(text(description)) + (example === undefined ? "" : ` <small>Example: <code>${escape(JSON.stringify(example))}</code></small>`)
    ]
  }))

const bodyOf = (title: string, answer: Part): string => {
  const json = part(part(answer.content)["application/json"])
  const others = Object.keys(part(answer.content)).filter((type) => !type.includes("json"))
  return `<h4>${title}${json.schema === undefined ? "" : `: ${typeOf(part(json.schema))}`} ${escape(others.join(", "))}</h4>` +
    (title === "Request body" ? "" : prose(answer.description)) + sample(json.example)
}

const operationOf = (path: string, method: string, operation: Part, responses: Part): string => {
  const parameters = list(operation.parameters).map(part).map((parameter) => [
    `<code>${escape(text(parameter.name))}</code>${parameter.required === true ? "" : " <small>optional</small>"}`,
    `${text(parameter.in)}, ${typeOf(part(parameter.schema))}`,
    `${inline(text(parameter.description))} <small>Example: <code>${escape(JSON.stringify(parameter.example))}</code></small>`
  ])
  const answers = Object.entries(part(operation.responses))
  const failures = answers.filter(([, answer]) => part(answer).$ref !== undefined)
    .map(([status, answer]) => [status, prose(part(responses[nameOf(part(answer).$ref)]).description)])
  return `<details id="${escape(text(operation.operationId))}"><summary><b>${method.toUpperCase()}</b> <code>${escape(path)}</code>
<span>${inline(text(operation.summary))}</span></summary>${prose(operation.description)}
${parameters.length === 0 ? "" : `<h4>Parameters</h4>${table(parameters)}`}
${operation.requestBody === undefined ? "" : bodyOf("Request body", part(operation.requestBody))}
${answers.filter(([, answer]) => part(answer).$ref === undefined).map(([status, answer]) => bodyOf(`Answer ${status}`, part(answer))).join("")}
<h4>Failures</h4>${table(failures)}</details>`
}

const css = `
body { display: block }
main { width: min(62rem, calc(100vw - 2rem)); margin: 1rem auto }
p { margin-bottom: .6rem }
nav { columns: 3 14rem; margin-bottom: 1.5rem }
nav a { display: block }
a { color: var(--accent) }
h2 { margin: 2rem 0 .25rem; font-size: 1.15rem }
h4 { margin: 1rem 0 .25rem; font-size: .95rem }
details { border-top: 1px solid var(--line); padding: .5rem 0 }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4.2rem; color: var(--accent) }
summary span { color: var(--soft); margin-left: .5rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top; overflow-wrap: anywhere }
td p, td ul { margin: 0; padding-left: 1rem } td p { padding: 0 }
pre { overflow: auto; max-height: 22rem; padding: .6rem; background: var(--ground); border-radius: .4rem; font-size: .85rem }
`

export const render = (document: object): Page => {
  const { components, info, paths, tags } = part(document)
  const { responses, schemas } = part(components)
  const operations = Object.entries(part(paths)).flatMap(([path, methods]) =>
    Object.entries(part(methods)).map(([method, operation]) => ({ path, method, operation: part(operation) })))
  const chapters = list(tags).map(part).map(({ description, name }) => {
    const own = operations.filter(({ operation }) => list(operation.tags).includes(name))
    return `<h2 id="${escape(text(name))}">${escape(text(name))}</h2>${prose(description)}
${own.map(({ method, operation, path }) => operationOf(path, method, operation, part(responses))).join("\n")}`
  })
  const bodies = Object.entries(part(schemas)).map(([name, schema]) =>
    `<details id="body-${name}"><summary><code>${name}</code><span>${inline(text(part(schema).description))}</span></summary>${fields(part(schema))}</details>`)
  return page({
    title: "svc: API reference",
    css,
    sections: `<h1>svc ${escape(text(part(info).version))}: API reference</h1>
<p><a href="openapi.json">openapi.json</a></p>
${prose(part(info).description)}
<nav>${list(tags).map(part).map(({ name }) => `<a href="#${escape(text(name))}">${escape(text(name))}</a>`).join("")}<a href="#bodies">Bodies</a></nav>
${chapters.join("\n")}
<h2 id="bodies">Bodies</h2>
${bodies.join("\n")}`
  })
}
