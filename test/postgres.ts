import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import pg from "pg"
import { inject } from "vitest"

export interface PostgresDatabase {
  readonly name: string
  readonly url: string
}

const execute = (statement: string) =>
  Effect.promise(async () => {
    const client = new pg.Client({ connectionString: inject("postgresUrl") })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  })

const createDatabase = (template: string) =>
  Effect.acquireRelease(
    Effect.gen(function*() {
      const name = `${inject("databasePrefix")}_${randomBytes(6).toString("hex")}`
      yield* execute(`CREATE DATABASE ${name}${template === "" ? "" : ` TEMPLATE ${template}`}`)
      const url = new URL(inject("postgresUrl"))
      url.pathname = `/${name}`
      return { name, url: url.toString() } satisfies PostgresDatabase
    }),
    ({ name }) => execute(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  )

/** A new PostgreSQL database without tables, dropped with the scope. The end of the run drops what was left. */
export const freshPostgres = createDatabase("")

/** As `freshPostgres`, with all migrations. */
export const migratedPostgres = Effect.suspend(() => createDatabase(inject("migrated").postgres))
