import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import * as Ids from "../../src/services/kernel/Ids.ts"
import { databaseOf } from "../services.ts"

const users = 1000
const batch = 1000

export interface Seeded {
  /** One session's token and one key of each user. */
  readonly people: ReadonlyArray<{ readonly email: string; readonly session: string; readonly key: string }>
}

/** A thousand viewers of the project, with `each` sessions and as many API keys in all; their passwords are unknown. */
export const seed = (env: Readonly<Record<string, string>>, projectId: string, each: number) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Timestamp.now
    const people = yield* Effect.forEach(Array.from({ length: users }), (_, index) =>
      Effect.gen(function*() {
        const session = yield* Ids.secret
        return { id: yield* Ids.next, email: `person${index}@example.com`, session, key: `svk_${yield* Ids.secret}` }
      }))
    const tokenOf = (index: number, prefix: string, own: string) =>
      index < users ? Effect.succeed(own) : Effect.map(Ids.secret, (secret) => prefix + secret)
    const insert = (table: string, count: number, rowOf: (index: number) => Effect.Effect<Record<string, unknown>>) =>
      Effect.gen(function*() {
        for (let from = 0; from < count; from += batch) {
          const rows = yield* Effect.forEach(Array.from({ length: Math.min(batch, count - from) }), (_, index) =>
            rowOf(from + index))
          yield* sql`INSERT INTO ${sql(table)} ${sql.insert(rows)}`
        }
      })
    // argon2id of a password that is thrown away, so that a wrong one takes its time
    const password_hash =
      "$argon2id$v=19$m=19456,p=1,t=2$kKKvDIW2jmxG0RhyXNhaLw$GZKD8SiHEccVV2DvDMDnLmc1hw6y1exmih+ZmSfy0Gw"
    yield* insert("users", users, (index) =>
      Effect.sync(() => ({
        id: people[index]!.id,
        email: people[index]!.email,
        email_key: people[index]!.email,
        password_hash,
        is_admin: 0,
        is_active: 1,
        timezone: "UTC",
        created_at: now,
        updated_at: now
      })))
    yield* insert("memberships", users, (index) =>
      Effect.map(
        Ids.next,
        (id) => ({ id, user_id: people[index]!.id, project_id: projectId, role: "viewer", created_at: now })
      ))
    yield* insert("sessions", each, (index) =>
      Effect.gen(function*() {
        const person = people[index % users]!
        return {
          id: yield* Ids.next,
          user_id: person.id,
          token_hash: Ids.hashSecret(yield* tokenOf(index, "", person.session)),
          remember_me: 0,
          issued_at: now,
          last_seen_at: now,
          expires_at: Timestamp.addSeconds(now, 86_400),
          ip_at_issue: "127.0.0.1"
        }
      }))
    yield* insert("api_keys", each, (index) =>
      Effect.gen(function*() {
        const person = people[index % users]!
        return {
          id: yield* Ids.next,
          user_id: person.id,
          name: "bench",
          prefix: "svk_bench",
          token_hash: Ids.hashSecret(yield* tokenOf(index, "svk_", person.key)),
          scopes: JSON.stringify(["auth:read", "projects:read", "tasks:read"]),
          last_used_at: now,
          created_at: now
        }
      }))
    return { people } satisfies Seeded
  }).pipe(Effect.provide(databaseOf(env)))
