import { HttpApi, OpenApi } from "@effect/platform"
import { Record } from "effect"
import { type AccessRule, type Caller, isRole, type Role } from "../../domain/kernel/Access.ts"
import { codes } from "../../domain/kernel/ErrorCodes.ts"
import { version } from "../../domain/kernel/Version.ts"
import { ruleOf } from "../AccessRules.ts"
import { Api } from "../Api.ts"
import { documentPathOf, showCustomMethods } from "../CustomMethods.ts"
import { codesOf, commonCodes, type FailureResponse, failuresOf } from "./Failures.ts"
import { describeParameter, idempotencyKey } from "./Parameters.ts"
import { PlainRoutesApi } from "./PlainRoutes.ts"
import { cleanSchemas, componentNameOf, exampleOf, type Part, partsIn } from "./Schemas.ts"
import { tags } from "./Tags.ts"

/** Credentials that an endpoint accepts, any of them. With a cookie, a change also needs the CSRF token. */
const securityOf = ({ caller, allowsSession, mutates }: AccessRule): Array<OpenApi.OpenAPISecurityRequirement> => {
  const session = mutates === true ? { session: [], csrf_token: [] } : { session: [] }
  if (caller === "public") return allowsSession === true ? [{}, session] : []
  if (caller === "agent") return [{ agent_token: [] }]
  return caller === "session" ? [session] : [{ api_key: [] }, session]
}

const callerSentences: Readonly<Record<Exclude<Caller, Role>, string>> = {
  public: "No credentials are needed.",
  agent: "An agent calls it, with its token.",
  session: "A person calls it, signed in with a browser; an API key cannot.",
  authenticated: "Any signed-in person or API key may call it.",
  global_admin: "Needs a global admin."
}

/** What the access rule says, in sentences. */
const describeAccess = ({ bucket, caller, allowsSession, scope, stepUp }: AccessRule): string =>
  [
    isRole(caller) ? `Needs the role ${caller} in the project.` : callerSentences[caller],
    ...(allowsSession === true ? ["With a session cookie it acts as that person."] : []),
    ...(scope === undefined ? [] : [`An API key needs the scope \`${scope}\`.`]),
    ...(stepUp === true ? ["A session needs a step-up: a password or code within the last minutes."] : []),
    ...(bucket === undefined ? [] : [`Rate bucket: \`${bucket}\`.`])
  ].join(" ")

/** Request bodies ignore unknown fields; responses declare every field. */
const allowUnknownFields = (schemas: Readonly<Part>, bodies: unknown): void => {
  const reachable = new Set(partsIn(bodies))
  for (const schema of reachable) {
    if (schema.additionalProperties === false) delete schema.additionalProperties
    for (const inner of partsIn(schemas[componentNameOf(schema.$ref) ?? ""])) reachable.add(inner)
  }
}

/** The response of a list with `format`: the columns, and so a row's members, are those of `fields`. */
const files = (content: OpenApi.OpenApiSpecContent): object => ({
  "application/json": {
    ...content["application/json"],
    schema: { anyOf: [content["application/json"]?.schema, { $ref: "#/components/schemas/ExportedRows" }] }
  },
  "text/csv": { schema: { type: "string" } },
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": { schema: { type: "string", format: "binary" } }
})

const exportedRows = {
  type: "array",
  description: "With `format=json`: one array of all rows, with the members that `fields` names.",
  items: { type: "object" }
}

const table = commonCodes.map((code) => `| ${codes[code].status} | \`${code}\` | ${codes[code].meaning} |`).join("\n")

const introduction = `See and operate the background tasks of every engine you run.

Send an API key as \`Authorization: Bearer svk_…\`; browsers use the session cookie, and for changes the CSRF token.
Times are RFC 3339 in UTC with six decimals. Lists are newest first; \`next_cursor\` is the \`cursor\` of the next page.

Every failure is \`application/problem+json\`; each operation lists its codes. Any request can also end with:

| status | \`code\` | meaning |
|---|---|---|
${table}
`

const securitySchemes: OpenApi.OpenAPIComponents["securitySchemes"] = {
  api_key: { type: "http", scheme: "bearer", description: "An API key, `svk_…`." },
  agent_token: { type: "http", scheme: "bearer", description: "An agent's token, from its creation." },
  metrics_token: {
    type: "http",
    scheme: "bearer",
    description: "The metrics token: `SVC_METRICS_AUTH_TOKEN`, or the file `metrics.token` in `SVC_HOME`."
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "svc_session",
    description: "Set by `POST /api/v1/auth/login`; over https its name is `__Host-svc_session`."
  },
  csrf_token: {
    type: "apiKey",
    in: "header",
    name: "X-CSRF-Token",
    description: "The value of the cookie `svc_csrf` (over https `__Host-svc_csrf`), for changes by session cookie."
  }
}

/** A success as the document shows it; `failure` has the same status. */
const completeSuccess = (
  { content, description }: OpenApi.OpenApiSpecResponse,
  isFile: boolean,
  failure: FailureResponse | undefined
): object => {
  const media = { ...content, ...(isFile && content !== undefined && files(content)), ...failure?.content }
  return {
    description: [description === "Success" ? "Done." : description, failure?.description].filter(Boolean).join("\n\n"),
    ...(Object.keys(media).length > 0 && { content: media })
  }
}

/** Adds what the definition does not contain: credentials, failures, headers, and examples of whole bodies. */
const completeDocument = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  showCustomMethods(document)
  const schemas: Part = document.components.schemas
  const responses: Record<string, FailureResponse> = {}
  const requestBodies: Array<unknown> = []
  for (const name of ["HttpApiDecodeError", "Issue", "PropertyKey"]) delete schemas[name]
  schemas.ExportedRows = exportedRows
  cleanSchemas(document)
  const example = exampleOf(schemas)
  const addExample = (content: OpenApi.OpenApiSpecContent | undefined) => {
    const media = content?.["application/json"] ?? content?.["application/x-www-form-urlencoded"]
    if (media !== undefined) Object.assign(media, { example: example(media.schema) })
  }

  HttpApi.reflect(DocumentedApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations, successes }) => {
      const rule = ruleOf(endpoint, mergedAnnotations)
      const path = documentPathOf(endpoint.path)
      // the cast: every definition endpoint exists in the document
      const operation = document.paths[path]?.[endpoint.method.toLowerCase() as OpenApi.OpenAPISpecMethodName]
      if (operation === undefined) throw new Error(`${endpoint.method} ${path} is not in the API's document`)
      if (operation.security.length === 0) operation.security = securityOf(rule)
      operation.description = [operation.description, describeAccess(rule)].filter(Boolean).join("\n\n")
      if (rule.creates !== undefined) operation.parameters.push(describeParameter(idempotencyKey))
      for (const parameter of operation.parameters) {
        const [first] = parameter.schema.examples ?? []
        if (first !== undefined) Object.assign(parameter, { example: first })
      }
      addExample(operation.requestBody?.content)
      requestBodies.push(operation.requestBody)

      const failures = failuresOf(codesOf(rule, path, operation), responses)
      const isFile = path.endsWith("/download") || operation.parameters.some(({ name }) => name === "format")
      const declared = Object.entries(operation.responses).filter(([status]) => successes.has(Number(status)))
      Object.assign(operation, {
        responses: {
          ...Record.map(failures, (name) => ({ $ref: `#/components/responses/${name}` })),
          ...Record.fromIterableWith(declared, ([status, response]) => {
            addExample(response.content)
            return [status, completeSuccess(response, isFile, responses[failures[status] ?? ""])]
          })
        }
      })
    }
  })
  allowUnknownFields(schemas, requestBodies)
  Object.assign(document.components, { responses, securitySchemes })
  document.tags = Object.entries(tags).map(([name, description]) => ({ name, description }))
  return document
}

/** The definition as its document shows it. */
export const DocumentedApi = Api
  .add(PlainRoutesApi)
  .annotate(OpenApi.Title, "svc")
  .annotate(OpenApi.Version, version)
  .annotate(OpenApi.License, { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" })
  .annotate(OpenApi.Servers, [{ url: "/", description: "The brain that serves this document." }])
  .annotate(OpenApi.Description, introduction)
  .annotate(OpenApi.Transform, (document) => completeDocument(document as OpenApi.OpenAPISpec)) // what fromApi hands over
