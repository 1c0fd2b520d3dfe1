import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { dial } from "../agent.ts"
import { baseUrl } from "../brain.ts"
import { isFullLane } from "../engines.ts"
import { call } from "./access/call.ts"
import {
  AccessWorld,
  all,
  byKey,
  byRole,
  check,
  checksOfKeys,
  isForAgents,
  isInProject,
  isPublic,
  metricsToken,
  needsOwnPerson,
  personFor
} from "./access/check.ts"
import { bearer, type Credential, type Person } from "./access/people.ts"
import { type Endpoint, endpoints, type Mark } from "./access/table.ts"
import type { Values } from "./access/world.ts"
import { back } from "./mfa.ts"
import { sessionOf } from "./people.ts"

const day = 86_400

/** Whether the session decides the response: everywhere but on public endpoints and those of agents. */
const checksSession = (endpoint: Endpoint) =>
  !isForAgents(endpoint) && (!isPublic(endpoint) || endpoint.marks.includes("csrf"))

/** Global admins in a state that lets them do only what is marked; `enter` brings a person into it, and gives their browser. */
const onlyMarked = <E, R>(
  who: string,
  mark: Mark,
  refusal: string,
  make: (endpoint: Endpoint) => Effect.Effect<Person, E, R>,
  enter: (person: Person) => Effect.Effect<Credential, E, R>
) =>
  Effect.gen(function*() {
    const kind = "global admin"
    const checks = (endpoint: Endpoint, person: Person, headers?: Credential) => {
      const isOpen = !checksSession(endpoint) || endpoint.marks.includes(mark)
      const expected = isOpen ? byRole(endpoint, kind) : [refusal]
      const of = { endpoint, sender: { kind, user_id: person.user_id, person } } as const
      return check(
        { ...of, who, headers: headers ?? {}, expected },
        headers === undefined ? enter(person) : Effect.void
      )
    }
    const shared = yield* make(endpoints[0] as Endpoint) // the table is not empty
    const headers = yield* enter(shared)
    return yield* all(endpoints.map((endpoint) =>
      needsOwnPerson(endpoint)
        ? Effect.flatMap(make(endpoint), (person) => checks(endpoint, person))
        : checks(endpoint, shared, headers)
    ))
  })

describe("sessions that may less", () => {
  layer(AccessWorld.on("SQLite"), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("past the deadline for a second factor a session may enrol, and little else", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const lines = yield* onlyMarked(
          "a restricted session",
          "while restricted",
          "403 mfa_enrollment_required",
          ({ path }) =>
            path.endsWith("/enroll-complete") ? people.enrolling("global admin") : people.person("global admin"),
          (person) => Effect.as(back("users", "mfa_enforcement_started_at", person.user_id, 8 * day), person.browser)
        )
        assert.deepStrictEqual(lines, [])
      }))

    it.effect("an API key of a restricted person is not asked for a second factor", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const person = yield* people.person("global admin")
        yield* back("users", "mfa_enforcement_started_at", person.user_id, 8 * day)
        const lines = endpoints.filter((endpoint) => !isPublic(endpoint)).map((endpoint) =>
          check({
            endpoint,
            who: "a restricted person's key",
            sender: { kind: "global admin", user_id: person.user_id },
            headers: person.key,
            expected: byKey(endpoint, "global admin")
          })
        )
        assert.deepStrictEqual(yield* all(lines), [])
      }))

    it.effect("a session that owes its second factor may give it, see whose it is, and end", () =>
      Effect.gen(function*() {
        const { people } = yield* AccessWorld
        const lines = yield* onlyMarked(
          "a session that owes",
          "while owing",
          "401 mfa_required",
          () => people.enrolled("global admin"),
          ({ user_id }) => sessionOf(user_id)
        )
        assert.deepStrictEqual(lines, [])
      }))

    it.effect("what lasts is done by a session that has proven itself a short while ago", () =>
      Effect.gen(function*() {
        const kind = "global admin"
        const lines = endpoints.filter(({ marks }) => marks.includes("csrf")).map((endpoint) =>
          Effect.gen(function*() {
            const person = yield* personFor(endpoint, kind)
            const expected = endpoint.marks.includes("step-up") ? ["403 mfa_reverify_required"] : endpoint.outcomes
            const sender = { kind, user_id: person.user_id, person } as const
            return yield* check(
              { endpoint, who: "a session that proved itself an hour ago", sender, headers: person.browser, expected },
              back("sessions", "proven_at", person.user_id, 3600)
            )
          })
        )
        assert.deepStrictEqual(yield* all(lines), [])
      }))

    it.effect("what belongs to another project, or to another person, is not there", () =>
      Effect.gen(function*() {
        const { people, there } = yield* AccessWorld
        const person = yield* people.enrolled("admin")
        const stranger = yield* people.enrolled("stranger")
        const sessions = yield* call({ method: "GET", path: "/api/v1/auth/sessions", headers: stranger.browser })
        const device = yield* call({
          method: "POST",
          path: "/api/v1/auth/mfa/trusted-devices",
          headers: stranger.browser
        })
        const foreign: Values = {
          ...there.things,
          key_id: yield* people.keyOf(stranger.user_id),
          session_id: String(sessions.json[0].id),
          device_id: String(device.json.id)
        }
        const sender = { kind: "admin", user_id: person.user_id, person } as const
        const lines = endpoints.flatMap((endpoint) =>
          Object.keys(foreign).filter((name) => name.endsWith("_id") && endpoint.path.includes(`{${name}}`)).flatMap((
            name
          ) =>
            [foreign[name] ?? "", randomUUID(), "no-uuid"].map((value) =>
              check({
                endpoint,
                who: `an admin with ${name} ${value}`,
                sender,
                headers: person.browser,
                expected: ["404 not_found"],
                instead: { [name]: value }
              })
            )
          )
        )
        assert.isAbove(lines.length, 30)
        assert.deepStrictEqual(yield* all(lines), [])
      }))

    it.effect("nor is an agent or a task of another project that a body names", () =>
      Effect.gen(function*() {
        const { here, people, there } = yield* AccessWorld
        const { browser } = yield* people.person("admin")
        const { agent_id = "", task_id = "" } = there.things
        const base = `/api/v1/projects/${here.project.slug}`
        const post = (path: string, body: unknown) =>
          call({ method: "POST", path: `${base}${path}`, headers: browser, body })
        const worker = { agent_id, worker_name: "w@box" }
        const commands: Readonly<Record<string, unknown>> = {
          "retry-task": { agent_id, engine: "celery", task_id },
          "cancel-task": { agent_id, engine: "celery", task_id },
          "requeue-dead-letter": { agent_id, engine: "celery", task_id },
          "bulk-retry": { agent_id, filter: { task_ids: [task_id], engine: "celery" } },
          "purge-queue": { agent_id, queue: "celery" },
          "pause-queue": { agent_id, queue: "celery", reason: "maintenance" },
          "resume-queue": { agent_id, queue: "celery" },
          "restart-worker": worker,
          "pool-resize": { ...worker, delta: 1 },
          "add-consumer": { ...worker, queue: "celery" },
          "cancel-consumer": { ...worker, queue: "celery" },
          "rate-limit": { ...worker, task_name: "shop.pay", rate: "10/m" }
        }
        for (const [name, body] of Object.entries(commands)) {
          assert.strictEqual((yield* post(`/commands/${name}`, body)).outcome, "404 not_found", name)
        }
        assert.deepStrictEqual((yield* post("/tasks/bulk-delete", { task_ids: [there.row_id] })).json, {
          deleted_count: 0
        })
      }))

    it.effect("/metrics accepts its own token alone", () =>
      Effect.gen(function*() {
        const { agent, people } = yield* AccessWorld
        const { browser, key } = yield* people.person("global admin")
        const metrics = (headers: Credential) =>
          Effect.map(call({ method: "GET", path: "/metrics", headers }), ({ status }) => status)
        for (const headers of [{}, browser, key, agent, bearer("nothing")]) {
          assert.strictEqual(yield* metrics(headers), 401)
        }
        assert.strictEqual(yield* metrics(bearer(metricsToken)), 200)
      }))

    it.effect("the WebSocket opens to agents alone", () =>
      Effect.gen(function*() {
        const { here, people } = yield* AccessWorld
        const { browser, key } = yield* people.person("global admin")
        const base = yield* baseUrl
        const opened = (token: string, headers: Credential = {}) =>
          Effect.promise(() => dial({ base, token, headers }).then((ws) => (ws.terminate(), "open"), String))
        assert.strictEqual(yield* opened(here.agent.token), "open")
        for (const token of ["nothing", (key.authorization ?? "").slice("Bearer ".length), metricsToken]) {
          assert.include(yield* opened(token), "401")
        }
        assert.include(yield* opened("", { authorization: "", ...browser }), "401")
      }))
  })
})

describe.runIf(isFullLane)("members on PostgreSQL", () => {
  layer(AccessWorld.on("PostgreSQL"), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    it.effect("may what their role may, and strangers find nothing", () =>
      Effect.gen(function*() {
        const checks = yield* checksOfKeys(() => endpoints.filter(isInProject))
        assert.deepStrictEqual(yield* all(checks), [])
      }))
  })
})
