import { OpenApi } from "@effect/platform"
import { version } from "../../domain/Version.ts"
import type { Caller, Rule } from "../../domain/Access.ts"
import { Api } from "../Api.ts"
import { rules } from "../Rules.ts"

const people = [{ api_key: [] }, { session: [] }]

/** Credentials that open an endpoint, any of them. */
const credentials: Record<Caller, Array<OpenApi.OpenAPISecurityRequirement>> = {
  public: [],
  agent: [{ agent_token: [] }],
  session: [{ session: [] }],
  authenticated: people,
  viewer: people,
  operator: people,
  admin: people,
  global_admin: people
}

const who: Record<Caller, string> = {
  public: "Anybody.",
  agent: "An agent.",
  session: "Anybody signed in with a browser.",
  authenticated: "Anybody signed in.",
  viewer: "Viewers of the project.",
  operator: "Operators of the project.",
  admin: "Admins of the project.",
  global_admin: "Global admins."
}

const describe = ({ bucket, caller, mayBeSignedIn, mutates, scope, stepUp }: Rule): string =>
  [
    who[caller],
    ...(mayBeSignedIn === true ? ["By session cookie it is done as that person, and needs `X-CSRF-Token`."] : []),
    ...(scope === undefined ? [] : [`An API key needs the scope \`${scope}\`.`]),
    ...(mutates === true && caller !== "public" && caller !== "agent" ? ["By cookie it needs `X-CSRF-Token`."] : []),
    ...(stepUp === true ? ["By cookie it needs a step-up: a login, a code or a password within the last minutes."] : []),
    ...(bucket === undefined ? [] : [`Rate bucket \`${bucket}\`.`])
  ].join(" ")

/** Every object within a part of the document, itself among them. */
const objectsIn = (part: unknown): ReadonlyArray<Record<string, unknown>> => {
  if (typeof part !== "object" || part === null) return []
  const inner = Object.values(part).flatMap(objectsIn)
  // an object that is no array has names and values
  return Array.isArray(part) ? inner : [part as Record<string, unknown>, ...inner]
}

/** Members that a body need not have are ignored, and those of an answer are all declared. */
const openTo = ({ components }: OpenApi.OpenAPISpec, bodies: unknown): void => {
  const reached = new Set(objectsIn(bodies))
  for (const schema of reached) {
    if (schema.additionalProperties === false) delete schema.additionalProperties
    if (typeof schema.$ref !== "string") continue
    for (const inner of objectsIn(components.schemas[schema.$ref.replace("#/components/schemas/", "")])) reached.add(inner)
  }
}

/** What a list answers with `format`: the columns, and so a row's members, are those of `fields`. */
const files = (content: OpenApi.OpenApiSpecContent): object => ({
  "application/json": { schema: { anyOf: [content["application/json"]?.schema, { type: "array", items: { type: "object" } }] } },
  "text/csv": { schema: { type: "string" } },
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": { schema: { type: "string", format: "binary" } }
})

/** What the definition does not tell by itself: who may call, with which credential, and that every failure is a problem. */
const complete = (document: OpenApi.OpenAPISpec): OpenApi.OpenAPISpec => {
  for (const [route, rule] of rules) {
    const [method, path] = route.split(" ") as [string, string] // how Rules writes its keys
    // the document has what the definition has
    const key = method.toLowerCase() as OpenApi.OpenAPISpecMethodName
    const operation = document.paths[path.replace(/:(\w+)/g, "{$1}")]?.[key]
    if (operation === undefined) throw new Error(`${route} is not in the API's document`)
    operation.security = rule.mayBeSignedIn === true ? [{}, { session: [] }] : credentials[rule.caller]
    operation.description = describe(rule)
    // @effect/platform adds its own decode error, which http/Problem.ts answers as 422
    const { 400: badRequest, 401: problem } = operation.responses
    if (badRequest !== undefined && problem?.content !== undefined) badRequest.content = problem.content
    const page = operation.responses[200]
    if (page?.content !== undefined && operation.parameters.some(({ name }) => name === "format")) {
      Object.assign(page.content, files(page.content))
    }
  }
  for (const name of ["HttpApiDecodeError", "Issue", "PropertyKey"]) delete document.components.schemas[name]
  const taken = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ requestBody }) => requestBody))
  openTo(document, taken)
  // one for every value of any type, where an $id may be given once
  for (const schema of objectsIn([document.paths, document.components.schemas])) if (schema.$id === "/schemas/unknown") delete schema.$id
  document.components.securitySchemes = {
    api_key: { type: "http", scheme: "bearer", description: "An API key, `svk_…`." },
    agent_token: { type: "http", scheme: "bearer", description: "An agent's token." },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "svc_session",
      description: "Set by `POST /api/v1/auth/login`; over https it is `__Host-svc_session`."
    }
  }
  return document
}

/** The definition as its document shows it. */
export const documented = Api
  .annotate(OpenApi.Title, "svc")
  .annotate(OpenApi.Version, version)
  .annotate(OpenApi.Description, "Every failure is `application/problem+json` with a stable `code`. Lists go on with `cursor`.")
  .annotate(OpenApi.Transform, (document) => complete(document as OpenApi.OpenAPISpec)) // what fromApi hands over
