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

const renderExample = (value: unknown) =>
  value === undefined ? "" : `<pre>${escapeHtml(JSON.stringify(value, null, 2))}</pre>`

const renderFields = ({ properties, required }: Part): string =>
  renderTable(
    Object.entries(asPart(properties)).map(([name, schema]) => {
      const { description, examples } = asPart(schema)
      const [example] = asList(examples)
      return [
        `<code>${escapeHtml(name)}</code>${asList(required).includes(name) ? "" : " <small>optional</small>"}`,
        renderType(asPart(schema)),
        renderInline(asText(description)) +
        (example === undefined ? "" : ` <small>Example: <code>${escapeHtml(JSON.stringify(example))}</code></small>`)
      ]
    })
  )

const renderBody = (title: string, body: Part): string => {
  const json = asPart(asPart(body.content)["application/json"])
  const others = Object.keys(asPart(body.content)).filter((type) => !type.includes("json"))
  return `<h4>${title}${json.schema === undefined ? "" : `: ${renderType(asPart(json.schema))}`} ${
    escapeHtml(others.join(", "))
  }</h4>` +
    (title === "Request body" ? "" : renderProse(body.description)) + renderExample(json.example)
}

const renderOperation = (path: string, method: string, operation: Part, responses: Part): string => {
  const parameters = asList(operation.parameters).map(asPart).map((parameter) => [
    `<code>${escapeHtml(asText(parameter.name))}</code>${
      parameter.required === true ? "" : " <small>optional</small>"
    }`,
    `${asText(parameter.in)}, ${renderType(asPart(parameter.schema))}`,
    `${renderInline(asText(parameter.description))} <small>Example: <code>${
      escapeHtml(JSON.stringify(parameter.example))
    }</code></small>`
  ])
  const operationResponses = Object.entries(asPart(operation.responses))
  const failures = operationResponses.filter(([, response]) => asPart(response).$ref !== undefined)
    .map((
      [status, response]
    ) => [status, renderProse(asPart(responses[schemaNameOf(asPart(response).$ref)]).description)])
  return `<details id="${escapeHtml(asText(operation.operationId))}"><summary><b>${method.toUpperCase()}</b> <code>${
    escapeHtml(path)
  }</code>
<span>${renderInline(asText(operation.summary))}</span></summary>${renderProse(operation.description)}
${parameters.length === 0 ? "" : `<h4>Parameters</h4>${renderTable(parameters)}`}
${operation.requestBody === undefined ? "" : renderBody("Request body", asPart(operation.requestBody))}
${
    operationResponses.filter(([, response]) => asPart(response).$ref === undefined).map(([status, response]) =>
      renderBody(`Answer ${status}`, asPart(response))
    ).join("")
  }
<h4>Failures</h4>${renderTable(failures)}</details>`
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

export const renderReference = (document: object): HtmlPage => {
  const { components, info, paths, tags } = asPart(document)
  const { responses, schemas } = asPart(components)
  const operations = Object.entries(asPart(paths)).flatMap(([path, methods]) =>
    Object.entries(asPart(methods)).map(([method, operation]) => ({ path, method, operation: asPart(operation) }))
  )
  const chapters = asList(tags).map(asPart).map(({ description, name }) => {
    const own = operations.filter(({ operation }) => asList(operation.tags).includes(name))
    return `<h2 id="${escapeHtml(asText(name))}">${escapeHtml(asText(name))}</h2>${renderProse(description)}
${own.map(({ method, operation, path }) => renderOperation(path, method, operation, asPart(responses))).join("\n")}`
  })
  const bodies = Object.entries(asPart(schemas)).map(([name, schema]) =>
    `<details id="body-${name}"><summary><code>${name}</code><span>${
      renderInline(asText(asPart(schema).description))
    }</span></summary>${renderFields(asPart(schema))}</details>`
  )
  return renderPage({
    title: "svc: API reference",
    css,
    sections: `<h1>svc ${escapeHtml(asText(asPart(info).version))}: API reference</h1>
<p><a href="openapi.json">openapi.json</a></p>
${renderProse(asPart(info).description)}
<nav>${
      asList(tags).map(asPart).map(({ name }) =>
        `<a href="#${escapeHtml(asText(name))}">${escapeHtml(asText(name))}</a>`
      ).join("")
    }<a href="#bodies">Bodies</a></nav>
${chapters.join("\n")}
<h2 id="bodies">Bodies</h2>
${bodies.join("\n")}`
  })
}
