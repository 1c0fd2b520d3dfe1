import { SqlClient } from "@effect/sql"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { brotliCompressSync, brotliDecompressSync } from "node:zlib"
import { headRevision } from "../../migrations/MigrationList.ts"
import * as Timestamp from "../../src/domain/kernel/Timestamp.ts"
import { type SigningKey, signingKeyOf } from "../../src/services/kernel/keys/SigningKeys.ts"
import { magic } from "../../src/services/operations/Backup/Archive.ts"
import { readArchiveFile } from "../../src/services/operations/Backup/ArchiveFile.ts"
import { readArchive } from "../../src/services/operations/Backup/ArchiveReader.ts"
import { writeArchive } from "../../src/services/operations/Backup/ArchiveWriter.ts"
import { appendAudit } from "../audit.ts"
import { type Engine, engines, temporaryHome } from "../databases.ts"
import { laneEngines } from "../engines.ts"
import { asNextProgram } from "../migrations.ts"
import { layerAudit, layerUnmigrated, makeSite, type Site } from "../services/operations/Backup/site.ts"
import { manifestOf, unsigned } from "../services/operations/Backup/source.ts"
import { serving } from "./svc.ts"
import { svcHere } from "./svcHere.ts"

const run = ({ environment }: Site, ...args: ReadonlyArray<string>) => svcHere(args, environment)

const insertProjectRow = (slug: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = yield* Timestamp.now
    yield* sql`INSERT INTO projects ${
      sql.insert({
        id: randomUUID(),
        slug,
        name: slug,
        environment: "production",
        timezone: "UTC",
        is_active: 1,
        default_scheduler_owner: "svc-scheduler",
        created_at: at,
        updated_at: at
      })
    }`
  })

const insertProject = (slug: string) =>
  Effect.zipRight(
    insertProjectRow(slug),
    appendAudit([{ action: "test.done", target_type: "project", target_id: slug }])
  )

const slugsOf = (site: Site) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ slug: string }>`SELECT slug FROM projects ORDER BY slug`).pipe(
    Effect.map((rows) => rows.map(({ slug }) => slug)),
    Effect.provide(layerUnmigrated(site))
  )

/** A migrated database with keys and one project. */
const siteWith = (engine: Engine, slug: string, keysOf?: Site) =>
  Effect.gen(function*() {
    const site = yield* makeSite(engine, keysOf === undefined ? {} : { keysOf })
    yield* Effect.provide(insertProject(slug), layerAudit(site))
    return site
  })

describe.each(laneEngines)("svc backup and svc restore on %s", (engine) => {
  it.scopedLive("write, verify, refuse and restore, and say what they do", () =>
    Effect.gen(function*() {
      const site = yield* siteWith(engine, "shop")
      const folder = yield* temporaryHome
      const path = join(folder, "archive")
      const written = yield* run(site, "backup", "-o", path)
      assert.strictEqual(written.code, 0, written.stderr)
      assert.include(written.stdout, `wrote ${path}: `)
      assert.match(written.stdout, /: [1-9]\d* KiB\n/)
      assert.match(written.stdout, /audit head: row 1 [0-9a-f]{64}/)
      assert.match(written.stdout, /SVC_SECRET_KEY [0-9a-f]{32}/)
      const again = yield* run(site, "backup", "--output", path)
      assert.strictEqual(again.code, 1)
      assert.include(again.stderr, "exists already, and a backup never replaces a file")
      assert.strictEqual((yield* run(site, "backup")).code, 2)
      const verified = yield* run(site, "backup", "verify", path, "--json")
      assert.deepInclude(JSON.parse(verified.stdout), { path, encrypted: false, program: "0.1.0" })

      yield* Effect.provide(insertProject("later"), layerAudit(site))
      const unconfirmed = yield* run(site, "restore", path)
      assert.strictEqual(unconfirmed.code, 2)
      assert.match(unconfirmed.stdout, /projects +2/)
      assert.include(unconfirmed.stderr, "nothing was restored")
      assert.deepStrictEqual(yield* slugsOf(site), ["later", "shop"])

      const damaged = join(folder, "damaged")
      const lines = brotliDecompressSync(readFileSync(path).subarray(magic.length)).toString("latin1")
      const changed = Buffer.from(lines.replace("\tshop\t", "\tshot\t"), "latin1")
      writeFileSync(damaged, Buffer.concat([magic, brotliCompressSync(changed)]))
      for (
        const [file, message] of [
          [damaged, "was changed or damaged"],
          ["package.json", "no archive, and not one that svc backup wrote"],
          [join(folder, "missing"), "cannot be read"]
        ] as const
      ) {
        const refusal = yield* run(site, "restore", file, "--force")
        assert.strictEqual(refusal.code, 1)
        assert.include(refusal.stderr, message)
      }
      const elsewhere = yield* siteWith(engine, "other")
      const keyless = yield* run(elsewhere, "restore", path, "--force")
      assert.strictEqual(keyless.code, 1)
      assert.include(keyless.stderr, "needs keys that this machine does not have: SVC_SECRET_KEY")
      assert.deepStrictEqual(yield* slugsOf(elsewhere), ["other"])

      yield* Effect.scoped(Effect.gen(function*() {
        yield* serving(site.environment)
        const busy = yield* run(site, "restore", path, "--force")
        assert.strictEqual(busy.code, 1, busy.stdout)
        assert.match(busy.stderr, /brains? runs? /i)
      }))
      assert.deepStrictEqual(yield* slugsOf(site), ["later", "shop"])
      if (engine === "PostgreSQL") { // killed with its scope, so its row counts for 20 s
        yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`DELETE FROM leases`).pipe(
          Effect.provide(layerUnmigrated(site))
        )
      }
      const restored = yield* run(site, "restore", path, "--force")
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.include(restored.stdout, "rows of 20")
      assert.deepStrictEqual(yield* slugsOf(site), ["shop"])
      assert.strictEqual((yield* run(site, "audit", "verify")).code, 0)
    }))

  it.scopedLive("an archive that another person wrote says so, and needs --accept-foreign", () =>
    Effect.gen(function*() {
      const site = yield* siteWith(engine, "shop")
      const folder = yield* temporaryHome
      const own = join(folder, "own")
      assert.match(
        (yield* run(site, "backup", "-o", own)).stdout,
        /\nsignature: by the key [0-9a-f]{16} \([\w-]{43}\)\n/
      )
      const rewrite = async (signer: SigningKey | null) => {
        const tables = new Map<string, Buffer>()
        const { manifest } = await readArchive(readArchiveFile(own, null), {
          takeRows: async ({ name }, blocks) => void tables.set(name, await buffer(blocks))
        })
        async function* readRows({ name }: { readonly name: string }) {
          const rows = tables.get(name) ?? Buffer.alloc(0)
          yield name === "projects" ? Buffer.from(rows.toString("utf8").replaceAll("shop", "evil")) : rows
        }
        return writeArchive({ ...unsigned, manifest, readRows, signer }, buffer)
      }
      const foreign = { unsigned: null, signed: signingKeyOf(Buffer.alloc(32, 7)) }
      for (const [name, signer] of Object.entries(foreign)) {
        const path = join(folder, name)
        writeFileSync(path, yield* Effect.promise(() => rewrite(signer)))
        const unconfirmed = yield* run(site, "restore", path)
        assert.include(
          unconfirmed.stdout,
          `FOREIGN: the archive is ${signer === null ? "not signed" : "signed by the key"}`
        )
        const refusal = yield* run(site, "restore", path, "--force")
        assert.strictEqual(refusal.code, 1)
        assert.match(refusal.stderr, /^svc: the archive is [^\n]+If you trust it, add --accept-foreign\n$/)
        assert.deepStrictEqual(yield* slugsOf(site), ["shop"])
      }
      const restored = yield* run(site, "restore", join(folder, "signed"), "--force", "--accept-foreign")
      assert.strictEqual(restored.code, 0, restored.stderr)
      assert.deepStrictEqual(yield* slugsOf(site), ["evil"])
      assert.notInclude((yield* run(site, "restore", own)).stdout, "FOREIGN")
    }))

  it.scopedLive(
    "an archive of an older revision is migrated upward; one of a newer revision is refused",
    () =>
      Effect.gen(function*() {
        const next = ({ environment }: Site, ...args: ReadonlyArray<string>) =>
          svcHere(args, environment, { as: asNextProgram })
        const old = yield* makeSite(engine, { isMigrated: false })
        assert.strictEqual((yield* run(old, "migrate", "upgrade")).code, 0)
        yield* Effect.provide(insertProjectRow("old"), layerUnmigrated(old))
        const path = join(yield* temporaryHome, "archive")
        const written = yield* run(old, "backup", "--output", path, "--json")
        assert.deepInclude(JSON.parse(written.stdout), { revision: yield* headRevision, audit_head: null })
        const notHead = yield* next(old, "restore", path, "--force")
        assert.strictEqual(notHead.code, 1)

        for (const target of engines) {
          const site = yield* siteWith(target, "new")
          yield* next(site, "migrate", "upgrade")
          const restored = yield* next(site, "restore", path, "--force", "--accept-foreign") // it had no keys yet
          assert.strictEqual(restored.code, 0, restored.stderr)
          assert.deepStrictEqual(yield* slugsOf(site), ["old"])
          assert.strictEqual((yield* next(site, "migrate", "current", "--check-heads")).code, 0)
        }

        const newer = join(yield* temporaryHome, "newer")
        const manifest = { ...manifestOf([]), program: "9.9.9", revision: 9999 }
        async function* noRows(): AsyncGenerator<Buffer> {}
        const source = { ...unsigned, manifest, readRows: noRows }
        writeFileSync(newer, yield* Effect.promise(() => writeArchive(source, buffer)))
        const site = yield* siteWith(engine, "kept")
        const refusal = yield* run(site, "restore", newer, "--force")
        assert.strictEqual(refusal.code, 1)
        assert.include(refusal.stderr, "svc 9.9.9 wrote the archive at revision 9999")
        assert.deepStrictEqual(yield* slugsOf(site), ["kept"])
      })
  )
})

describe("an encrypted backup", () => {
  it.scopedLive("needs the key file that it was written for", () =>
    Effect.gen(function*() {
      const { generateIdentity, identityToRecipient } = yield* Effect.promise(() => import("age-encryption"))
      const site = yield* siteWith("SQLite", "shop")
      const folder = yield* temporaryHome
      const [path, publicKey, secretKey] = ["archive", "backup.pub", "backup.key"].map((name) => join(folder, name))
      if (path === undefined || publicKey === undefined || secretKey === undefined) return
      const identity = yield* Effect.promise(() => generateIdentity())
      writeFileSync(publicKey, `# public key\n${yield* Effect.promise(() => identityToRecipient(identity))}\n`)
      writeFileSync(secretKey, `# created today\n${identity}\n`)
      const written = yield* run(site, "backup", "--output", path, "--key-file", publicKey)
      assert.strictEqual(written.code, 0, written.stderr)
      assert.include(written.stdout, "encrypted")
      for (
        const [args, message] of [
          [[], "give its passphrase or key file"],
          [["--key-file", publicKey], "the key file has no key of this archive"],
          [["--key-file", secretKey, "--passphrase-file", secretKey], "give one of"]
        ] as const
      ) {
        const refusal = yield* run(site, "backup", "verify", path, ...args)
        assert.notStrictEqual(refusal.code, 0)
        assert.include(refusal.stderr, message)
      }
      const restored = yield* run(site, "restore", path, "--force", "--key-file", secretKey)
      assert.strictEqual(restored.code, 0, restored.stderr)
    }))
})
