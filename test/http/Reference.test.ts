import { OpenApi } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import { readdirSync, readFileSync } from "node:fs"
import { codes } from "../../src/domain/kernel/ErrorCodes.ts"
import { accessRules } from "../../src/http/AccessRules.ts"
import { DocumentedApi } from "../../src/http/Docs/Document.ts"
import { tags } from "../../src/http/Docs/Tags.ts"
import { type JsonSchema, validator } from "./fuzz/JsonSchema.ts"

interface Shown extends JsonSchema {
  readonly description?: string
  readonly examples?: ReadonlyArray<unknown>
}

interface Media {
  readonly schema: Shown
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface BodySpec {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly tags: ReadonlyArray<string>
  readonly parameters: ReadonlyArray<
    { readonly name: string; readonly description?: string; readonly example?: unknown }
  >
  readonly requestBody?: BodySpec
  readonly responses: Readonly<Record<string, BodySpec>>
}

// the package types the document more loosely than what this test reads of it
const document = OpenApi.fromApi(DocumentedApi) as unknown as {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Shown>>
    readonly responses: Readonly<Record<string, BodySpec>>
  }
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const { schemas } = document.components
const { violations } = validator(schemas)

/** Every field of a schema and of those within it, by its path; references are components, which are checked themselves. */
const fieldsOf = (name: string, schema: JsonSchema): ReadonlyArray<readonly [string, Shown]> => [
  ...Object.entries(schema.properties ?? {}).flatMap((
    [key, field]
  ) => [[`${name}.${key}`, field] as const, ...fieldsOf(`${name}.${key}`, field)]),
  ...[...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.items === undefined ? [] : [schema.items])]
    .flatMap((inner) => fieldsOf(name, inner))
]

const holdsReference = (schema: JsonSchema): boolean => JSON.stringify(schema).includes("\"$ref\"")

describe("the reference", () => {
  it("passes Redocly's recommended rules", async () => {
    const config = await createConfig({
      extends: ["recommended"],
      rules: {
        "operation-2xx-response": "off", // of /ws/agent, whose success is 101
        // of the contract's /schedules/native-operations/{operation_id} beside /schedules/{schedule_id}/enable: a
        // schedule's id is a UUID
        "no-ambiguous-paths": "off"
      }
    })
    const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: "/openapi.json", config })
    assert.deepStrictEqual(
      found.map(({ location, message, ruleId }) => `${ruleId}: ${message} (${location[0]?.pointer})`),
      []
    )
  })

  it("says of each operation and parameter what it is, and shows a value of each parameter", () => {
    const bare = operations.flatMap(({ description = "", operationId, parameters, summary = "" }) => [
      ...(summary === "" || description === "" ? [operationId] : []),
      ...parameters.filter(({ description, example }) => description === undefined || example === undefined)
        .map(({ name }) => `${operationId} ${name}`)
    ])
    assert.deepStrictEqual(
      bare,
      [],
      "operation(…) and pathParameter(…) in http/Docs, describe(…) in domain/kernel/Describe.ts"
    )
  })

  it("says of each body and field what it is, and shows a value of it", () => {
    const bodies = Object.entries(schemas).filter(([, { description }]) => description === undefined).map(([name]) =>
      name
    )
    const fields = Object.entries(schemas).flatMap(([name, schema]) => fieldsOf(name, schema))
      .filter(([, field]) =>
        field.description === undefined || (field.examples === undefined && !holdsReference(field))
      )
      .map(([name]) => name)
    assert.deepStrictEqual([...bodies, ...fields], [], "named(…) and describe(…) of domain/kernel/Describe.ts")
  })

  it("has the range of each integer of a request, also of those with a default", () => {
    const known = new Set<string>()
    const integersOf = (where: string, part: unknown): ReadonlyArray<readonly [string, object]> => {
      if (typeof part !== "object" || part === null) return []
      const { $ref, type } = part as { readonly $ref?: unknown; readonly type?: unknown } // either may be absent
      if (typeof $ref === "string") {
        const name = $ref.split("/").at(-1) ?? ""
        if (known.has(name)) return []
        known.add(name)
        return integersOf(name, schemas[name])
      }
      const inner = Object.entries(part).flatMap(([key, value]) => integersOf(`${where}.${key}`, value))
      return type === "integer" ? [[where, part], ...inner] : inner
    }
    const integers = operations.flatMap(({ operationId, parameters, requestBody }) =>
      integersOf(operationId, [parameters, requestBody])
    )
    assert.isAbove(integers.length, 60)
    assert.deepStrictEqual(
      integers.filter(([, part]) => !("minimum" in part && "maximum" in part)).map(([where]) => where),
      []
    )
  })

  it("shows an example of each JSON body that its schema takes, and every body has a name", () => {
    const problems = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((body) => {
        const media = body?.content?.["application/json"]
        if (media === undefined) return []
        const [first] = violations(media.schema, media.example)
        const isNamed = [media.schema, media.schema.items, ...(media.schema.anyOf ?? [])].some((schema) =>
          schema?.$ref !== undefined
        )
        return first !== undefined || !isNamed
          ? [`${operationId}: ${first?.path.join(".")} ${first?.why ?? "has no name"}`]
          : []
      })
    )
    assert.deepStrictEqual(problems, [])
  })

  it("lists the failures that an operation's access, path and body imply, and no others", () => {
    const codesOf = (operationId: string) => {
      const responses = operations.find((operation) => operation.operationId === operationId)?.responses ?? {}
      return Object.values(responses).flatMap(({ $ref }) => $ref?.split("/").at(-1)?.split(".") ?? [])
    }
    assert.deepStrictEqual(codesOf("health.ready"), ["bad_request"])
    assert.deepStrictEqual(codesOf("project.get"), [
      "bad_request",
      "host_not_allowed",
      "unauthenticated",
      "mfa_required",
      "forbidden",
      "scope_missing",
      "address_not_allowed",
      "mfa_enrollment_required",
      "not_found",
      "rate_limited",
      "unavailable"
    ])
    assert.include(codesOf("projects.create"), "slug_taken")
    assert.include(codesOf("projects.create"), "idempotency_conflict")
  })

  it("has every code that the program writes, and every code of the list somewhere", () => {
    const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
    const written = files.flatMap((file) =>
      Array.from(readFileSync(`src/${file}`, "utf8").matchAll(/new \w+\(\{\s*code: "(\w+)"/g), ([, code = ""]) => code)
    )
    assert.deepStrictEqual(written.filter((code) => !(code in codes)), [])
    // only the command line reports `user_inactive`
    const text = JSON.stringify([document.info, document.paths, document.components.responses])
    assert.deepStrictEqual(
      Object.keys(codes).filter((code) => code !== "user_inactive" && !text.includes(`\`${code}\``)),
      []
    )
  })

  it("has every endpoint, under a chapter of the list", () => {
    const known = Object.keys(document.paths).map((path) => path.replaceAll(":", "::").replace(/\{(\w+)\}/g, ":$1"))
    assert.deepStrictEqual(
      [...accessRules.keys()].map((route) => route.split(" ")[1] ?? "").filter((path) => !known.includes(path)),
      []
    )
    assert.deepStrictEqual(operations.flatMap((operation) => operation.tags).filter((tag) => !(tag in tags)), [])
    for (const path of ["/metrics", "/ws/agent", "/health", "/health/ready"]) assert.include(known, path)
  })
})
