import { Effect, Layer } from "effect"
import * as DatabaseLayer from "../layers/Database.ts"
import * as Keys from "../layers/Keys.ts"
import { Database } from "../services/Database.ts"
import { Migrations } from "../services/Migrations.ts"
import { Settings } from "../services/Settings.ts"
import { CliError } from "./Explain.ts"
import { settings } from "./Settings.ts"

/** The settings, and the database opened read-only: neither created nor migrated. */
export const layerInspection = DatabaseLayer.layerReadOnly.pipe(Layer.provideMerge(settings()))

export interface Inspection {
  /** SVC_HOME, absolute. */
  readonly home: string
  /** Without its password. */
  readonly database_url: string
  /** False for a SQLite file that does not exist yet. */
  readonly database_exists: boolean
  /** Null before the first migration. */
  readonly revision: number | null
  /** Why `svc serve` would refuse the keys; null when it would accept them, or has yet to create them. */
  readonly key_trouble: string | null
}

const inspectDatabase = Effect.gen(function*() {
  const { redactedUrl } = yield* Database
  const { current } = yield* Migrations
  const revision = yield* current
  const comparison = revision === 0 ? Effect.void : Keys.verifyKeys
  const key_trouble = yield* Effect.as(comparison, null).pipe(
    Effect.catchTag("KeyMismatch", "KeyUnusable", "SecretKeyIncomplete", ({ message }) => Effect.succeed(message))
  )
  return { database_url: redactedUrl, database_exists: true, revision: revision === 0 ? null : revision, key_trouble }
})

/** The facts of `svc check`. Fails when the settings do not load or the database does not answer. */
export const inspect = Effect.gen(function*() {
  const { home } = yield* Settings
  const found = yield* inspectDatabase.pipe(
    Effect.provide(DatabaseLayer.layerReadOnly),
    Effect.catchTag(
      "DatabaseMissing",
      ({ file }) =>
        Effect.succeed({ database_url: `sqlite:///${file}`, database_exists: false, revision: null, key_trouble: null })
    )
  )
  return { home, ...found } satisfies Inspection
}).pipe(Effect.provide(settings()))

/** For people, one line each. */
export const linesOf = (found: Inspection): ReadonlyArray<string> => [
  `settings: ok (SVC_HOME ${found.home})`,
  `database: ${found.database_url} ${found.database_exists ? "answers" : "does not exist yet; svc serve creates it"}`,
  `revision: ${found.revision ?? "none"}`,
  `keys: ${found.key_trouble ?? "ok"}`
]

/** Fails, after everything is printed, when `svc serve` would refuse the keys. */
export const requireKeys = ({ key_trouble }: Inspection) =>
  key_trouble === null
    ? Effect.void
    : new CliError({ message: "svc serve will refuse to start with these keys; see the line keys" })
