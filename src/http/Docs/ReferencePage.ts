import type { OpenApi } from "@effect/platform"
import { type HtmlPage, renderPage } from "../Html/HtmlPage.ts"
import type { Part } from "./Schemas.ts"

/** Renders an OpenAPI document as one page: no script, no other file, no other host. */

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

// the document is JSON of a known form; what is missing reads as empty
const asPart = (value: unknown): Part => typeof value === "object" && value !== null ? value as Part : {}
const asText = (value: unknown): string => typeof value === "string" ? value : ""
const asList = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

const renderInline = (text: string) => escapeHtml(text).replace(/`([^`]+)`/g, "<code>$1</code>")

const renderRow = (cells: ReadonlyArray<string>) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`

const renderTable = (rows: ReadonlyArray<ReadonlyArray<string>>) =>
  rows.length === 0 ? "" : `<table>${rows.map(renderRow).join("")}</table>`

/** Renders the Markdown that the document's sentences use: code, paragraphs, lists and tables. */
const renderProse = (value: unknown): string =>
  asText(value).split("\n\n").map((block) => {
    const lines = block.split("\n").filter((line) => line !== "" && !/^\|[-|]+\|$/.test(line))
    if (block.startsWith("|")) {
      return renderTable(lines.map((line) => line.slice(1, -1).split("|").map((cell) => renderInline(cell.trim()))))
    }
    if (block.startsWith("- ")) {
      return `<ul>${lines.map((line) => `<li>${renderInline(line.slice(2))}</li>`).join("")}</ul>`
    }
    return `<p>${renderInline(lines.join(" "))}</p>`
  }).join("")

const schemaNameOf = (ref: unknown) => asText(ref).split("/").at(-1) ?? ""

const renderType = (schema: Part): string => {
  const name = schemaNameOf(schema.$ref)
  if (name !== "") return `<a href="#body-${name}">${name}</a>`
  const either = [...asList(schema.anyOf), ...asList(schema.allOf)]
  if (either.length > 0) return either.map((one) => renderType(asPart(one))).join(" or ")
  if (schema.enum !== undefined) {
    return asList(schema.enum).map((word) => `<code>${escapeHtml(String(word))}</code>`).join(", ")
  }
  if (schema.type === "array") return `list of ${renderType(asPart(schema.items))}`
  return escapeHtml([asText(schema.type) || "any JSON", asText(schema.format)].filter(Boolean).join(", "))
}

/** A row of a table of parameters or fields. */
const renderField = (name: string, isRequired: boolean, type: string, schema: unknown, description: unknown) => {
  const [example] = asList(asPart(schema).examples)
  return [
    `<code>${escapeHtml(name)}</code>${isRequired ? "" : " <small>optional</small>"}`,
    type + renderType(asPart(schema)),
    renderInline(asText(description)) +
    (example === undefined ? "" : ` <small>Example: <code>${escapeHtml(JSON.stringify(example))}</code></small>`)
  ]
}

const renderFields = ({ properties, required }: Part): string =>
  renderTable(
    Object.entries(asPart(properties)).map(([name, schema]) =>
      renderField(name, asList(required).includes(name), "", schema, asPart(schema).description)
    )
  )

const renderContent = (title: string, content: object | undefined, description = ""): string => {
  const { example, schema } = asPart(asPart(content)["application/json"])
  const others = Object.keys(asPart(content)).filter((type) => !type.includes("json"))
  const type = schema === undefined ? "" : `: ${renderType(asPart(schema))}`
  return `<h4>${title}${type} ${escapeHtml(others.join(", "))}</h4>${description}` +
    (example === undefined ? "" : `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`)
}

const renderOperation = (
  path: string,
  method: string,
  { description, operationId, parameters, requestBody, responses, summary = "" }: OpenApi.OpenAPISpecOperation,
  failures: Part
): string => {
  const fields = parameters.map(({ description, in: location, name, required, schema }) =>
    renderField(name, required, `${location}, `, schema, description)
  )
  const contents = Object.entries(responses).map(([status, response]) =>
    "$ref" in response
      ? ""
      : renderContent(`Answer ${status}`, response.content, renderProse(response.description))
  )
  const failureRows = Object.entries(responses).flatMap(([status, response]) => {
    if (!("$ref" in response)) return []
    return [[status, renderProse(asPart(failures[schemaNameOf(response.$ref)]).description)]]
  })
  return `<details id="${escapeHtml(operationId)}"><summary><b>${method.toUpperCase()}</b> <code>${
    escapeHtml(path)
  }</code>
<span>${renderInline(summary)}</span></summary>${renderProse(description)}
${fields.length === 0 ? "" : `<h4>Parameters</h4>${renderTable(fields)}`}
${requestBody === undefined ? "" : renderContent("Request body", requestBody.content)}
${contents.join("")}
<h4>Failures</h4>${renderTable(failureRows)}</details>`
}

const css = `
body { display: block }
main { width: min(62rem, calc(100vw - 2rem)); margin: 1rem auto }
p { margin-bottom: .6rem }
nav { columns: 3 14rem; margin-bottom: 1.5rem }
nav a { display: block }
h2 { margin: 2rem 0 .25rem; font-size: 1.15rem }
h4 { margin: 1rem 0 .25rem; font-size: .95rem }
details { border-top: 1px solid var(--line); padding: .5rem 0 }
summary { cursor: pointer }
summary b { display: inline-block; min-width: 4.2rem }
summary span { color: var(--soft); margin-left: .5rem }
table { border-collapse: collapse; width: 100%; font-size: .9rem }
td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top; overflow-wrap: anywhere }
td p, td ul { margin: 0; padding-left: 1rem } td p { padding: 0 }
pre { overflow: auto; max-height: 22rem; padding: .6rem; background: var(--canvas); border-radius: .4rem; font-size: .85rem }
`

export const renderReference = ({ components, info, paths, tags }: OpenApi.OpenAPISpec): HtmlPage => {
  const { responses, schemas } = asPart(components)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation }))
  )
  const chapters = tags.map(({ description, name }) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(name))
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2>${renderProse(description)}
${own.map(({ method, operation, path }) => renderOperation(path, method, operation, asPart(responses))).join("\n")}`
  })
  const links = tags.map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`)
  const bodies = Object.entries(asPart(schemas)).map(([name, schema]) =>
    `<details id="body-${name}"><summary><code>${name}</code><span>${
      renderInline(asText(asPart(schema).description))
    }</span></summary>${renderFields(asPart(schema))}</details>`
  )
  return renderPage({
    title: "svc: API reference",
    css,
    sections: `<h1>svc ${escapeHtml(info.version)}: API reference</h1>
<p><a href="openapi.json">openapi.json</a></p>
${renderProse(info.description)}
<nav>${links.join("")}<a href="#bodies">Bodies</a></nav>
${chapters.join("\n")}
<h2 id="bodies">Bodies</h2>
${bodies.join("\n")}`
  })
}
