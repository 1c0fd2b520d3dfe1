import { HttpServer } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import type { Role, Scope } from "../src/domain/kernel/Access.ts"
import { system } from "../src/domain/kernel/Actor.ts"
import { UserId } from "../src/domain/kernel/Id.ts"
import type { CreateProject } from "../src/domain/kernel/Project.ts"
import * as Timestamp from "../src/domain/kernel/Timestamp.ts"
import * as Brain from "../src/layers/Brain.ts"
import * as Server from "../src/layers/Server.ts"
import { Projects } from "../src/services/identity/Projects.ts"
import { CurrentActor } from "../src/services/kernel/CurrentActor.ts"
import * as Ids from "../src/services/kernel/Ids.ts"
import type { SettingsShape } from "../src/services/kernel/Settings.ts"
import { jsonOf } from "./bodies.ts"
import { type Engine, settingsOn } from "./databases.ts"

/** All services over a fresh database of this engine; no server. */
export const brainOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Brain.layer.pipe(Layer.provideMerge(settingsOn(engine, overrides)), Layer.orDie)

/** The services and a real HTTP server on a free port of 127.0.0.1; without spans, as a program without a trace collector. */
export const serverOn = (engine: Engine, overrides: Partial<SettingsShape> = {}) =>
  Server.layer.pipe(
    Layer.provideMerge(brainOn(engine, overrides)),
    Layer.provide(Layer.setTracerEnabled(false)),
    Layer.orDie
  )

/** `http://127.0.0.1:port` of the server under test. */
export const baseUrl = Effect.map(
  HttpServer.HttpServer,
  (server) => server.address._tag === "TcpAddress" ? `http://127.0.0.1:${server.address.port}` : ""
)

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // tests read fields of any response
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any
}

/** One HTTP request to the server under test; `path` under /api/v1 unless it begins with `//`. */
export const request = (
  method: string,
  path: string,
  options: {
    readonly token?: string
    readonly body?: unknown
    readonly raw?: string
    readonly headers?: Record<string, string>
  } = {}
): Effect.Effect<ApiResponse, never, HttpServer.HttpServer> =>
  Effect.flatMap(baseUrl, (base) =>
    Effect.promise(async () => {
      const url = path.startsWith("//") ? `${base}${path.slice(1)}` : `${base}/api/v1${path}`
      const body = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body))
      const response = await fetch(url, {
        method,
        redirect: "manual",
        headers: {
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers
        },
        ...(body === undefined ? {} : { body })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: jsonOf(text) }
    }))

const asSystem = Effect.provideService(CurrentActor, system("test"))

/** A new project of its own, so that suites which share a database do not meet. */
export const freshProject = (overrides: Partial<CreateProject> = {}) =>
  Effect.gen(function*() {
    const projects = yield* Projects
    const slug = `p-${(yield* Ids.next).slice(-12)}`
    return yield* projects.create({
      slug,
      name: slug,
      description: null,
      environment: "test",
      timezone: "UTC",
      default_scheduler_owner: "svc-scheduler",
      allowed_schedulers: null,
      ...overrides
    })
  }).pipe(asSystem, Effect.orDie)

/**
 * A new user and an API key of theirs, written to the tables directly: the way in for tests of everything but
 * identity. `roles` by project id; `scopes` default to all.
 */
export const freshKey = (options: {
  readonly isAdmin?: boolean
  readonly roles?: Readonly<Record<string, Role>>
  readonly scopes?: ReadonlyArray<Scope>
  readonly boundTo?: string
  /** How long ago the user got the roles; a month by default, so that they may approve what others ask for. */
  readonly daysAgo?: number
} = {}) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = Timestamp.addSeconds(yield* Timestamp.now, -(options.daysAgo ?? 30) * Timestamp.secondsPerDay)
    const user_id = yield* Ids.nextOf(UserId)
    const email = `${user_id.slice(-12)}@example.com`
    yield* sql`INSERT INTO users ${
      sql.insert({
        id: user_id,
        email,
        email_key: email,
        password_hash: "!",
        is_admin: options.isAdmin === true ? 1 : 0,
        is_active: 1,
        timezone: "UTC",
        created_at: now,
        updated_at: now
      })
    }`
    for (const [project_id, role] of Object.entries(options.roles ?? {})) {
      yield* sql`INSERT INTO memberships ${
        sql.insert({ id: yield* Ids.next, user_id, project_id, role, created_at: now })
      }`
    }
    const token = `svk_${yield* Ids.secret}`
    yield* sql`INSERT INTO api_keys ${
      sql.insert({
        id: yield* Ids.next,
        user_id,
        name: "test",
        prefix: token.slice(0, 12),
        token_hash: Ids.hashSecret(token),
        scopes: JSON.stringify(options.scopes ?? ["admin:*"]),
        project_id: options.boundTo ?? null,
        created_at: now
      })
    }`
    return { token, user_id, email }
  }).pipe(Effect.orDie)
