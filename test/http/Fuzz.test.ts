import { assert, describe, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import fc from "fast-check"
import { freshKey, request, serverOn } from "../brain.ts"
import { type Engine, engines } from "../databases.ts"
import { isFullLane } from "../engines.ts"
import { runs, seed } from "../properties.ts"
import { difference, expected } from "./fuzz/expected.ts"
import { type Validator, validator } from "./fuzz/JsonSchema.ts"
import { type Attempt, attempts, type Caller, placesOf } from "./fuzz/requests.ts"
import { complaint } from "./fuzz/responses.ts"
import { bodyType, type Document, encodeBody, type Operation, operationsOf } from "./operations.ts"
import { fromElsewhere, proxied, sessionOf } from "./people.ts"
import { wire } from "./wire.ts"
import { together, type World, world } from "./world.ts"

/**
 * Requests for each thing that an operation takes, and as many again for its callers, headers and body as a whole.
 * In the fast lane PostgreSQL gets the good request of each operation only. `SVC_TEST_EFFORT=50 npx vitest run
 * test/http/Fuzz.test.ts` tries fifty times as much; `SVC_TEST_SEED` repeats a run.
 */
const share = (engine: Engine): number => runs(engine === "SQLite" ? 0.06 : isFullLane ? 0.02 : 0)

/** Of these attempts at each operation. */
const overall = 8

/** Requests with one world, so that no rate bucket of a user runs over. */
const perWorld = 40

/** Operations that share a world. One that finds it changed by an earlier one begins another. */
const operationsPerWorld = 8

/** What an operation needs of its world. */
const needsOf = (operation: Operation): Parameters<typeof world>[0] => ({
  signedIn: operation.security.join() === "session" || operation.path.endsWith("/login"),
  openFire: operation.path.endsWith("/resolve-terminal-fire") ? "timed out" : "waiting",
  enrolled: /\/mfa\/(verify|disable|recovery-codes|trusted-devices)/.test(operation.path)
})

/** Operations that need the same of a world: what only reads leaves it as it was, and what deletes comes last. */
const groupsOf = (operations: ReadonlyArray<Operation>): ReadonlyArray<Arr.NonEmptyArray<Operation>> => {
  const changes = ({ method }: Operation) => ["GET", "PUT", "PATCH", "POST", "DELETE"].indexOf(method)
  const alike = Arr.groupBy(operations, (operation) => JSON.stringify([needsOf(operation), changes(operation) > 0]))
  return Object.values(alike).flatMap((group) =>
    Arr.chunksOf([...group].sort((one, other) => changes(one) - changes(other)), operationsPerWorld)
  )
}

/** An operation's world with every caller's headers. */
const begin = (operation: Operation) =>
  Effect.gen(function*() {
    const site = yield* world(needsOf(operation))
    const { admin, viewer } = yield* together(Effect.gen(function*() {
      const admin = yield* freshKey({ isAdmin: true })
      const viewer = yield* freshKey({ roles: { [site.project.id]: "viewer" } })
      return { admin: yield* sessionOf(admin.user_id), viewer: yield* sessionOf(viewer.user_id) }
    }))
    const callers: Readonly<Record<Caller, Readonly<Record<string, string>>>> = {
      anonymous: {},
      garbage: { authorization: "Bearer svk_not-a-key" },
      viewer,
      admin,
      "admin without CSRF": { cookie: admin.cookie },
      key: { authorization: `Bearer ${site.token}` },
      agent: site.agent
    }
    return { callers, site }
  })

type Begun = Effect.Effect.Success<ReturnType<typeof begin>>

/** The body with the values that the world knows. */
const filled = (site: World, operation: Operation, body: Buffer | string) =>
  typeof body === "string"
    ? body.replace(/"<<([a-z_]+)>>"/g, (_, name: string) =>
      JSON.stringify(site.body(operation)[name] ?? site.field(name)))
    : body

const send = ({ callers, site }: Begun, operation: Operation, attempt: Attempt) => {
  const body = operation.body === null
    ? undefined
    : filled(site, operation, attempt.body ?? encodeBody(operation, site.body(operation)))
  const target = site.target(operation, attempt.path, attempt.query && { [attempt.query.name]: attempt.query.value })
  const sent = {
    method: operation.method,
    target,
    headers: {
      ...(attempt.caller === undefined
        ? site.credentials(operation)
        : { ...fromElsewhere(), ...callers[attempt.caller] }),
      ...(body === undefined ? {} : { "content-type": bodyType(operation) }),
      ...attempt.headers
    },
    ...(body === undefined ? {} : { body })
  }
  return Effect.map(wire(sent), (received) => ({ received, target, text: body?.toString("utf8") ?? "" }))
}

/** Sends an attempt in the world at hand; `problem` says how the response contradicts the document, if it does. */
const tryAttempt = Effect.fnUntraced(
  function*(schemas: Validator, begun: Begun, operation: Operation, attempt: Attempt) {
    const { received, target, text } = yield* send(begun, operation, attempt)
    const awaited = expected(schemas, operation, attempt, text)
    const problem = complaint(schemas, operation, received, `${target} ${text}`) ?? difference(awaited, received)
    const exchange = `${target.slice(0, 300)} ${text.slice(0, 300)} -> ${received.status} ${
      received.text.slice(0, 300)
    }`
    return {
      status: received.status,
      problem: problem && `${operation.route}, ${attempt.what}: ${problem} (${exchange})`,
      /** Refused, and not for what is wrong with it. */
      isUnexplained: received.status >= 400 && (awaited === null || problem !== undefined)
    }
  }
)

describe.each(engines)("each operation of the document on %s", (engine) => {
  layer(serverOn(engine, proxied), { excludeTestServices: true })((it) => {
    const fetched = Effect.gen(function*() {
      const document: Document = (yield* request("GET", "/openapi.json")).json
      return { operations: operationsOf(document), schemas: validator(document.components.schemas) }
    })

    it.effect(
      "responds to good requests with what it declares, and to others with the problem that it declares",
      () =>
        Effect.gen(function*() {
          const { operations, schemas } = yield* fetched
          const found: Array<string> = []

          /** A world with the number of requests that it has got; `isUsed`: one of them may have changed it. */
          interface Progress {
            readonly begun: Begun
            readonly uses: number
            readonly isUsed: boolean
          }
          const tryIn = Effect.fnUntraced(function*(progress: Progress, operation: Operation, attempt: Attempt) {
            let { begun, isUsed, uses } = progress
            let seen = yield* tryAttempt(schemas, begun, operation, attempt)
            // what succeeded before may have removed what this is about
            if (++uses > perWorld || (isUsed && seen.isUnexplained)) {
              begun = yield* begin(operation)
              seen = yield* tryAttempt(schemas, begun, operation, attempt)
              uses = 1
              isUsed = false
            }
            if (seen.problem !== undefined) found.push(seen.problem)
            isUsed ||= operation.method !== "GET" && seen.status < 300
            return { status: seen.status, progress: { begun, uses, isUsed } satisfies Progress }
          })

          const fuzzOne = Effect.fnUntraced(function*(operation: Operation, first: Progress) {
            /** `type` is a channel's; the actions of a rule have one of their own. */
            const isKnown = (name: string) =>
              first.begun.site.field(name) !== undefined &&
              !(name === "type" && operation.path.includes("/automation/"))
            const good = yield* tryIn(first, operation, { what: "good" })
            let { progress } = good
            // the brain is set up, no agent is connected that lists dead letters, and the link of an alert is in its message
            // the brain may not call a registry, and no provider for sign-in is configured
            const isOutOfReach =
              /\/(setup\/complete|dead-letters|alert-links\/[a-z]+|versions\/check|oidc\/(start|callback|link|backchannel-logout))$/
                .test(operation.path)
            if (good.status >= 300 && !isOutOfReach) {
              found.push(`${operation.route} refuses what is good: ${good.status}`)
            }

            const sampled = {
              seed: seed + operations.indexOf(operation),
              numRuns: Math.ceil(share(engine) * (overall + placesOf(operation)))
            }
            for (const attempt of fc.sample(attempts(operation, schemas, isKnown), sampled)) {
              progress = (yield* tryIn(progress, operation, attempt)).progress
            }
            return progress
          })
          const fuzz = Effect.fnUntraced(function*(group: Arr.NonEmptyArray<Operation>) {
            let progress: Progress = { begun: yield* begin(group[0]), uses: 0, isUsed: false }
            for (const operation of group) progress = yield* fuzzOne(operation, progress)
          })
          yield* Effect.forEach(groupsOf(operations), fuzz, { concurrency: 4, discard: true })
          assert.strictEqual(found.length, 0, `with SVC_TEST_SEED=${seed}:\n${found.join("\n")}\n`)
        }),
      3_600_000
    )
  })
})
