import { HttpApi, OpenApi } from "@effect/platform"
import type { AccessRule, Caller } from "../../domain/kernel/Access.ts"
import { codes } from "../../domain/kernel/ErrorCodes.ts"
import { version } from "../../domain/kernel/Version.ts"
import { ruleOf } from "../AccessRules.ts"
import { Api } from "../Api.ts"
import { documentPathOf, showCustomMethods } from "../CustomMethods.ts"
import { codesOf, commonCodes, failuresOf, type SharedResponses } from "./Failures.ts"
import { idempotencyKey } from "./Parameters.ts"
import { PlainRoutesApi } from "./PlainRoutes.ts"
import { cleanSchemas, componentNameOf, exampleOf, type Part, partsIn } from "./Schemas.ts"
import { tags } from "./Tags.ts"

/** Credentials that an endpoint accepts, any of them. With a cookie, a change also needs the CSRF token. */
const securityOf = ({ caller, allowsSession, mutates }: AccessRule): Array<OpenApi.OpenAPISecurityRequirement> => {
  const session = mutates === true ? { session: [], csrf_token: [] } : { session: [] }
  const kinds: Readonly<Record<Caller, Array<OpenApi.OpenAPISecurityRequirement>>> = {
    public: allowsSession === true ? [{}, session] : [],
    agent: [{ agent_token: [] }],
    session: [session],
    authenticated: [{ api_key: [] }, session],
    viewer: [{ api_key: [] }, session],
    auditor: [{ api_key: [] }, session],
    operator: [{ api_key: [] }, session],
    admin: [{ api_key: [] }, session],
    global_admin: [{ api_key: [] }, session]
  }
  return kinds[caller]
}

const callerSentences: Readonly<Record<Caller, string>> = {
  public: "No credentials are needed.",
  agent: "An agent calls it, with its token.",
  session: "A person calls it, signed in with a browser; an API key cannot.",
  authenticated: "Any signed-in person or API key may call it.",
  viewer: "Needs the role viewer in the project.",
  auditor: "Needs the role auditor in the project.",
  operator: "Needs the role operator in the project.",
  admin: "Needs the role admin in the project.",
  global_admin: "Needs a global admin."
}

/** What the access rule says, in sentences. */
const describeAccess = ({ bucket, caller, allowsSession, scope, stepUp }: AccessRule): string =>
  [
    callerSentences[caller],
    ...(allowsSession === true ? ["With a session cookie it acts as that person."] : []),
    ...(scope === undefined ? [] : [`An API key needs the scope \`${scope}\`.`]),
    ...(stepUp === true ? ["A session needs a step-up: a password or code within the last minutes."] : []),
    ...(bucket === undefined ? [] : [`Rate bucket: \`${bucket}\`.`])
  ].join(" ")

/** Request bodies ignore unknown fields; responses declare every field. */
const allowUnknownFields = (schemas: Readonly<Record<string, unknown>>, bodies: unknown): void => {
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

/** Adds what the definition does not contain: credentials, failures, headers, and examples of whole bodies. */
const completeDocument = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  showCustomMethods(document)
  const { paths } = document
  // the cast: the document's JSON has schemas that OpenApi's types do not describe
  const schemas = document.components.schemas as Record<string, unknown>
  const responses: SharedResponses = {}
  for (const name of ["HttpApiDecodeError", "Issue", "PropertyKey"]) delete schemas[name]
  schemas.ExportedRows = exportedRows
  cleanSchemas(document)
  const example = exampleOf(schemas)
  const withExamples = (content: OpenApi.OpenApiSpecContent | undefined) => {
    const media = content?.["application/json"] ?? content?.["application/x-www-form-urlencoded"]
    if (media !== undefined) Object.assign(media, { example: example(media.schema) })
  }

  HttpApi.reflect(DocumentedApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, mergedAnnotations, successes }) => {
      const rule = ruleOf(endpoint, mergedAnnotations)
      // the cast: every definition endpoint exists in the document
      const key = endpoint.method.toLowerCase() as OpenApi.OpenAPISpecMethodName
      const path = documentPathOf(endpoint.path)
      const operation = paths[path]?.[key]
      if (operation === undefined) throw new Error(`${endpoint.method} ${path} is not in the API's document`)
      if (operation.security.length === 0) operation.security = securityOf(rule)
      operation.description = [operation.description, describeAccess(rule)].filter(Boolean).join("\n\n")
      const parametersWithExamples = operation.parameters.map((parameter) => {
        const [firstExample] = (parameter.schema as { examples?: ReadonlyArray<unknown> }).examples ?? [] // of any schema
        return firstExample === undefined ? parameter : { ...parameter, example: firstExample }
      })
      const { description, example: key_, in: location, name, pattern } = idempotencyKey
      const header = {
        name,
        in: location,
        required: false,
        description,
        example: key_,
        schema: { type: "string" as const, pattern }
      }
      operation.parameters = rule.creates === undefined
        ? parametersWithExamples
        : [...parametersWithExamples, header as OpenApi.OpenAPISpecParameter] // `example` is not in the type

      const failures = failuresOf(
        codesOf(rule, {
          isHealth: /\/health(\/ready)?$/.test(path),
          hasPath: path.includes("{"),
          hasQuery: operation.parameters.some((parameter) => parameter.in === "query"),
          hasBody: operation.requestBody !== undefined
        }),
        responses
      )
      const responsesByStatus: Record<string, unknown> = { ...failures }
      for (const status of successes.keys()) {
        const response = operation.responses[status]
        if (response === undefined) continue
        withExamples(response.content)
        const isFile = path.endsWith("/download") ||
          operation.parameters.some((parameter) => parameter.name === "format")
        if (response.content !== undefined && isFile) {
          Object.assign(response.content, files(response.content))
        }
        response.description = response.description === "Success" ? "Done." : response.description
        const failureResponse =
          responses[String((failures[status] as Part | undefined)?.$ref).split("/").at(-1) ?? ""] as Part | undefined // as failuresOf wrote it
        responsesByStatus[status] = failureResponse === undefined ? response : {
          description: `${response.description}\n\n${String(failureResponse.description)}`,
          content: { ...response.content, ...failureResponse.content as object }
        }
      }
      Object.assign(operation, { responses: responsesByStatus })
      withExamples(operation.requestBody?.content)
    }
  })
  const requestBodies = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ requestBody }) => requestBody)
  )
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
