import BetterSqlite3 from "better-sqlite3"
import { Effect, Redacted } from "effect"
import { createHash, createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import pg from "pg"
import { Settings } from "../../../src/services/kernel/Settings.ts"
import { hashOf, zeros } from "../../services/audit/form.ts"

/**
 * An attacker who can write all tables and knows docs/audit.md, but has neither keys nor files. What they
 * compute is implemented from that document: nothing here is shared with the program that writes the log.
 */
export type Row = Readonly<Record<string, string | number | Buffer | null>>

export interface Tables {
  readonly audit_log: ReadonlyArray<Row>
  readonly audit_head: ReadonlyArray<Row>
  readonly audit_watermark: ReadonlyArray<Row>
  readonly audit_keys: ReadonlyArray<Row>
}

const names = ["audit_log", "audit_head", "audit_watermark", "audit_keys"] as const

export interface Adversary {
  readonly read: () => Promise<Tables>
  /** Puts these in the place of all that was there, in one transaction. */
  readonly write: (tables: Tables) => Promise<void>
  /** Begins a transaction with this in it, and ends it after the work. */
  readonly holding: (text: string) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** What the commands of docs/audit.md, verify without the program, write: a line each. */
  readonly exported: () => Promise<ReadonlyArray<string>>
}

/** The statements of the two commands in docs/audit.md that write what `verify-audit.mjs` reads. */
const document = readFileSync(join(import.meta.dirname, "../../../docs/audit.md"), "utf8")
const [onPostgres = "", onSqlite = ""] = [...document.matchAll(/<<'SQL'.*\n([^]*?)\nSQL\n/g)].map(([, text]) =>
  text ?? ""
)

const selects = (commands: string) =>
  commands.split(";").map((text) => text.trim()).filter((text) => text.startsWith("SELECT"))

/** A connection of a role of their own, with all rights on the tables and nothing else. */
const postgresAdversary = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const owner = new pg.Client({ connectionString: url })
      await owner.connect()
      const role = `svc_adversary_${randomBytes(6).toString("hex")}`
      await owner.query(`CREATE ROLE ${role} LOGIN`)
      await owner.query(`GRANT ALL ON ${[...names, "leases"].join(", ")} TO ${role}`)
      const theirs = new URL(url)
      theirs.username = role
      theirs.password = ""
      const client = new pg.Client({ connectionString: theirs.toString() })
      await client.connect()
      return { client, owner, role }
    }),
    ({ client, owner, role }) =>
      Effect.promise(async () => {
        await client.end()
        await owner.query(`DROP OWNED BY ${role}`)
        await owner.query(`DROP ROLE ${role}`)
        await owner.end()
      })
  ).pipe(Effect.map(({ client }): Adversary => ({
    read: async () => {
      const of = async (name: string) =>
        (await client.query<{ rows: Array<Row> }>(`SELECT coalesce(json_agg(t), '[]') AS rows FROM ${name} t`)).rows[0]
          ?.rows ?? []
      return {
        audit_log: (await of("audit_log")).toSorted((left, right) => Number(left.seq) - Number(right.seq)),
        audit_head: await of("audit_head"),
        audit_watermark: await of("audit_watermark"),
        audit_keys: await of("audit_keys")
      }
    },
    write: async (tables) => {
      await client.query("BEGIN")
      for (const name of names) {
        await client.query(`DELETE FROM ${name}`)
        await client.query(`INSERT INTO ${name} SELECT * FROM json_populate_recordset(NULL::${name}, $1)`, [
          JSON.stringify(tables[name])
        ])
      }
      await client.query("COMMIT")
    },
    holding: (text) => (work) =>
      Effect.acquireUseRelease(
        Effect.promise(() => client.query(`BEGIN; ${text}`)),
        () => work,
        () => Effect.promise(() => client.query("ROLLBACK"))
      ),
    exported: async () => {
      const lines: Array<string> = []
      for (const text of selects(onPostgres)) {
        const { rows } = await client.query<{ row_to_json: unknown }>(text)
        lines.push(...rows.map(({ row_to_json }) => JSON.stringify(row_to_json)))
      }
      return lines
    }
  })))

/** Another connection on the file. */
const sqliteAdversary = (file: string) =>
  Effect.acquireRelease(Effect.sync(() => new BetterSqlite3(file)), (db) => Effect.sync(() => db.close())).pipe(
    Effect.map((db): Adversary => {
      const of = (name: string) => db.prepare<[], Row>(`SELECT * FROM ${name}`).all()
      return {
        read: async () => ({
          audit_log: db.prepare<[], Row>("SELECT * FROM audit_log ORDER BY seq").all(),
          audit_head: of("audit_head"),
          audit_watermark: of("audit_watermark"),
          audit_keys: of("audit_keys")
        }),
        write: async (tables) =>
          db.transaction(() => {
            for (const name of names) {
              db.exec(`DELETE FROM ${name}`)
              for (const row of tables[name]) {
                const columns = Object.keys(row)
                db.prepare(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${
                  columns.map((column) => `@${column}`).join(", ")
                })`).run(row)
              }
            }
          }).immediate(),
        holding: (text) => (work) =>
          Effect.acquireUseRelease(
            Effect.sync(() => db.exec(`BEGIN; ${text}`)),
            () => work,
            () => Effect.sync(() => db.exec("ROLLBACK"))
          ),
        exported: async () => selects(onSqlite).flatMap((text) => db.prepare<[], string>(text).pluck().all())
      }
    })
  )

export const adversary = Effect.flatMap(
  Settings,
  ({ databaseUrl, home }) =>
    databaseUrl === null ? sqliteAdversary(join(home, "svc.db")) : postgresAdversary(Redacted.value(databaseUrl))
)

/** The HMAC of an attacker without a key. */
export const guessed = () => randomBytes(32).toString("hex")

/** With a key that leaked, docs/audit.md read literally. */
export const hmacBy = (key: Buffer) => (hash: string, prev: string) =>
  createHmac("sha256", key).update(["svc audit chain 1", prev, hash].join("\n")).digest("hex")

/**
 * Numbers the rows again, computes all that can be computed without a key, and makes the head fit. `hmac` is for attackers
 * with a key that once signed rows: it returns undefined where that does not help.
 */
export const relinked = (
  tables: Tables,
  hmac: (hash: string, prev: string, row: Row) => string | undefined = () => undefined
): Tables => {
  const statement = tables.audit_watermark[0]?.statement
  // their own statements and ours are objects of strings and numbers
  const begin =
    (typeof statement === "string" ? JSON.parse(statement) : { seq: 0, row_hash: zeros, row_hmac: zeros }) as Row
  let last = begin
  const audit_log = tables.audit_log.map((row) => {
    const placed: Row = { ...row, seq: Number(last.seq) + 1, prev_row_hmac: last.row_hmac ?? null }
    const row_hash = hashOf(String(last.row_hash), placed)
    last = { ...placed, row_hash, row_hmac: hmac(row_hash, String(last.row_hmac), placed) ?? placed.row_hmac ?? null }
    return last
  })
  const { occurred_at = null, row_hash = null, row_hmac = null, seq = null } = last
  // of what audit_head says they adapt what they can
  const audit_head = tables.audit_head.map((head) => ({
    ...head,
    ...("prev_row_hmac" in head && { prev_row_hmac: last.prev_row_hmac ?? zeros }),
    seq,
    row_hash,
    row_hmac,
    occurred_at
  }))
  return { ...tables, audit_log, audit_head }
}

/** An Ed25519 key of their own, which may pretend to be another one. */
export const ownKey = () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const public_key = publicKey.export({ format: "jwk" }).x ?? ""
  const key_id = createHash("sha256").update("svc audit public key\n").update(Buffer.from(public_key, "base64url"))
    .digest("hex").slice(0, 16)
  return { key_id, public_key, privateKey }
}

const canonical = (object: object) =>
  JSON.stringify(Object.fromEntries(Object.entries(object).toSorted(([left], [right]) => (left < right ? -1 : 1))))

export const statementBy = (privateKey: KeyObject, statement: object) => {
  const signature = sign(null, Buffer.from(`svc audit statement 1\n${canonical(statement)}`), privateKey).toString(
    "base64url"
  )
  return canonical({ ...statement, signature })
}
