import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib"
import { type SigningKey, signingKeyOf } from "../../../../src/services/kernel/keys/SigningKeys.ts"
import {
  ArchiveRefused,
  blockBytes,
  endOfTable,
  magic,
  maxRowBytes,
  type Summary
} from "../../../../src/services/operations/Backup/Archive.ts"
import { readArchiveFile } from "../../../../src/services/operations/Backup/ArchiveFile.ts"
import { readArchive } from "../../../../src/services/operations/Backup/ArchiveReader.ts"
import { writeArchive } from "../../../../src/services/operations/Backup/ArchiveWriter.ts"
import { decodeLine, encodeLine } from "../../../../src/services/operations/Backup/CopyText.ts"
import { encryptBytes, type Encryption } from "../../../../src/services/operations/Backup/Encryption.ts"
import {
  DestinationExists,
  removePartialFiles,
  writeNewFile
} from "../../../../src/services/operations/Backup/NewFile.ts"
import { temporaryHome } from "../../../databases.ts"
import { hostileTexts } from "./rows.ts"
import { manifestOf, unsigned } from "./source.ts"

const tables = ["users", "empty", "tasks", "large"].map((name) => ({
  name,
  columns: [{ name: "id", kind: "text" as const }]
}))

const manifest = manifestOf(tables)

const rowsOf = (table: string): ReadonlyArray<string> => {
  if (table === "empty") return []
  if (table === "large") return [encodeLine(["x".repeat(3 * blockBytes)]), encodeLine(["ä".repeat(blockBytes)])]
  return [`${table}1\n`, `${table}2\n`]
}

async function* readRows({ name }: { readonly name: string }) {
  for (const row of rowsOf(name)) yield Buffer.from(row)
}

const source = { ...unsigned, manifest, readRows }

const archiveOf = (signer: SigningKey | null = null) => writeArchive({ ...source, signer }, buffer)

const compressedWith = (lines: string | Buffer, quality: number): Buffer =>
  Buffer.concat([magic, brotliCompressSync(lines, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } })])

/** A file of these lines, whose digest and counts are not those of its summary. */
const fileOf = (lines: ReadonlyArray<string>): Buffer => compressedWith(lines.map((line) => `${line}\n`).join(""), 1)

/** The lines of an archive: the manifest, rows and ends of tables, the summary. */
const linesOf = (archive: Buffer): ReadonlyArray<string> =>
  brotliDecompressSync(archive.subarray(magic.length)).toString("utf8").trimEnd().split("\n")

async function* inPieces(bytes: Buffer, size = 1000) {
  for (let position = 0; position < bytes.length; position += size) yield bytes.subarray(position, position + size)
}

const refusalOf = async (bytes: AsyncIterable<Uint8Array>): Promise<ArchiveRefused> => {
  try {
    await readArchive(bytes)
  } catch (error) {
    if (error instanceof ArchiveRefused) return error
    throw error
  }
  throw new Error("the archive was accepted")
}

const flip = (bytes: Buffer, position: number, bit = 0): Buffer => {
  const copy = Buffer.from(bytes)
  copy[position] = (copy[position] ?? 0) ^ (1 << bit)
  return copy
}

describe("lines of an archive", () => {
  it("keep every text, and null apart from all of them", () => {
    const values = [...hostileTexts, null]
    const line = encodeLine(values)
    assert.strictEqual(line.indexOf("\n"), line.length - 1)
    assert.deepStrictEqual(decodeLine(line.slice(0, -1)), values)
  })
})

describe("an archive", () => {
  it("is read as it was written, whatever the sizes of the pieces", async () => {
    const bytes = await archiveOf()
    for (const size of [7, 1000, bytes.length]) {
      const found = new Map<string, string>()
      const { summary } = await readArchive(inPieces(bytes, size), {
        takeRows: async ({ name }, blocks) => void found.set(name, (await buffer(blocks)).toString("utf8"))
      })
      for (const { name } of tables) assert.isTrue(found.get(name) === rowsOf(name).join(""), name)
      assert.deepStrictEqual(summary.tables.map(({ rows }: Summary["tables"][number]) => rows), [2, 0, 2, 2])
    }
  })

  it("with one flipped bit is refused, unless the bit changes nothing of its content", async () => {
    const bytes = await archiveOf()
    const { summary } = await readArchive(inPieces(bytes))
    let accepted = 0
    for (let position = 0; position < bytes.length; position++) {
      const changed = inPieces(flip(bytes, position, position % 8))
      if (position < magic.length) assert.include(["foreign", "newer_format"], (await refusalOf(changed)).problem)
      else {
        const found = await readArchive(changed).catch((error: unknown) => error)
        if (!(found instanceof ArchiveRefused)) {
          accepted++
          assert.deepStrictEqual(found, { manifest, summary })
        } else assert.include(["damaged", "truncated"], found.problem, `${position}: ${found.message}`)
      }
    }
    assert.isBelow(accepted, bytes.length / 4) // Brotli has several codes of the same text
  })

  it("that is truncated anywhere says where, and one that is continued is refused", async () => {
    const bytes = await archiveOf()
    for (let position = 0; position < bytes.length; position += position < 300 ? 1 : 37) {
      const { problem } = await refusalOf(inPieces(bytes.subarray(0, position)))
      assert.strictEqual(problem, position === 0 ? "foreign" : "truncated", `truncated at ${position}`)
    }
    async function* readRandom({ name }: { readonly name: string }) {
      if (name === "tasks") yield Buffer.from(`${randomBytes(300_000).toString("hex")}\n`)
    }
    const long = await writeArchive({ ...source, readRows: readRandom }, buffer)
    for (
      const [length, where] of [
        [5, "within its first line"],
        [20, "in its manifest or soon after"],
        [long.length >> 1, "in the table tasks or soon after"],
        [long.length - 1, "in the table tasks or soon after"]
      ] as const
    ) {
      const { message } = await refusalOf(inPieces(long.subarray(0, length)))
      assert.strictEqual(message, `the archive is not complete: it ends ${where}`)
    }
    for (const more of ["x", "\n", bytes]) {
      const { problem } = await refusalOf(inPieces(Buffer.concat([bytes, Buffer.from(more)])))
      assert.strictEqual(problem, "damaged")
    }
  })

  it("whose lines are changed, in another order, left out or added is refused", async () => {
    const lines = linesOf(await archiveOf())
    assert.deepStrictEqual((await readArchive(inPieces(fileOf(lines)))).manifest, manifest)
    for (let index = 0; index < lines.length; index++) {
      const [line = "", next] = lines.slice(index, index + 2)
      const [before, after] = [lines.slice(0, index), lines.slice(index + 1)]
      const others = [
        [...before, ...after],
        [...before, line, line, ...after],
        [...before, `${line}x`, ...after],
        ...(next === undefined || next === line ? [] : [[...before, next, line, ...lines.slice(index + 2)]])
      ]
      for (const other of others) {
        const { message, problem } = await refusalOf(inPieces(fileOf(other)))
        assert.strictEqual(problem, "damaged", `${index}: ${message}`)
        assert.include(message, "the archive was changed or damaged")
      }
    }
    assert.include((await refusalOf(inPieces(fileOf(["{", ...lines.slice(1)])))).message, "damaged in its manifest")
    assert.include((await refusalOf(inPieces(fileOf([...lines.slice(0, -1), "{}"])))).message, "damaged at its end")
  })

  it("has no row above 64 MiB: neither written, nor unpacked from a few bytes", async () => {
    const huge = Buffer.alloc(4 * 1_048_576, "a")
    const count = maxRowBytes / huge.length + 1
    async function* readHuge({ name }: { readonly name: string }) {
      if (name === "tasks") { for (let position = 0; position < count; position++) yield huge }
    }
    const failure = await writeArchive({ ...source, readRows: readHuge }, buffer).catch(String)
    assert.include(failure, `a row of tasks has more than ${maxRowBytes} bytes`)

    const before = Buffer.from(linesOf(await archiveOf()).slice(0, 4).join("\n") + "\n\\.\n")
    const file = compressedWith(Buffer.concat([before, ...Array.from({ length: count }, () => huge)]), 9)
    assert.isBelow(file.length, 10_000)
    const { message, problem } = await refusalOf(inPieces(file))
    assert.deepStrictEqual([problem, /in the table tasks has more than \d+ bytes/.test(message)], ["damaged", true])
  })

  it("says who signed it; a signature of other bytes, or by another key than it names, is damage", async () => {
    const signer = signingKeyOf(Buffer.alloc(32, 1))
    const { summary } = await readArchive(inPieces(await archiveOf(signer)))
    assert.deepInclude(summary.signature, { key_id: signer.key_id, public_key: signer.public_key })
    const other = signingKeyOf(Buffer.alloc(32, 2))
    for (const forged of [{ ...signer, private: other.private }, { ...other, key_id: signer.key_id }]) {
      assert.strictEqual((await refusalOf(inPieces(await archiveOf(forged)))).problem, "damaged")
    }
  })

  it.each([
    ["SQLite format 3\0....", "foreign", "a SQLite database"],
    ["PGDMP\x01\x0f", "foreign", "an archive of pg_dump"],
    ["\x1f\x8b\x08", "foreign", "a gzip file"],
    ["-- PostgreSQL database dump", "foreign", "a SQL script"],
    ["hello, this is a letter", "foreign", "no archive"],
    ["", "foreign", "empty"],
    ["svc backup 2\nwhatever", "newer_format", "a newer svc"]
  ])("is not %j", async (text, problem, named) => {
    const refusal = await refusalOf(inPieces(Buffer.from(text, "latin1")))
    assert.strictEqual(refusal.problem, problem)
    assert.include(refusal.message, named)
  })
})

describe("an encrypted archive", () => {
  const write = async (path: string, encryption: Encryption) => {
    await writeArchive(source, (bytes) => writeNewFile(path, encryptBytes(bytes, encryption)))
  }
  const passphraseOf = (text: string): Encryption => ({ _tag: "passphrase", passphrase: Redacted.make(text) })

  it.scopedLive("opens with its passphrase or key only, and a changed or truncated one is detected", () =>
    Effect.gen(function*() {
      const { generateIdentity, identityToRecipient } = yield* Effect.promise(() => import("age-encryption"))
      const folder = yield* temporaryHome
      const [identity, other] = yield* Effect.promise(() => Promise.all([generateIdentity(), generateIdentity()]))
      const recipient = yield* Effect.promise(() => identityToRecipient(identity))
      const keysOf = (...keys: ReadonlyArray<string>): Encryption => ({
        _tag: "keys",
        keys: keys.map((key) => Redacted.make(key))
      })
      const cases = [
        {
          name: "passphrase",
          to: passphraseOf("correct horse"),
          by: passphraseOf("correct horse"),
          not: [passphraseOf("wrong"), keysOf(identity)]
        },
        { name: "key", to: keysOf(recipient), by: keysOf(other, identity), not: [keysOf(other), passphraseOf("x")] }
      ]
      yield* Effect.promise(async () => {
        for (const { by, name, not, to } of cases) {
          const path = join(folder, name)
          await write(path, to)
          assert.include(readFileSync(path).subarray(0, 30).toString(), "age-encryption.org")
          assert.deepStrictEqual((await readArchive(readArchiveFile(path, by))).manifest, manifest)
          for (const wrongSecret of not) {
            const refusal = await refusalOf(readArchiveFile(path, wrongSecret))
            assert.strictEqual(refusal.problem, "wrong_key", refusal.message)
          }
          assert.strictEqual((await refusalOf(readArchiveFile(path, null))).problem, "encrypted")
          if (name === "passphrase") continue // each attempt takes a second
          const bytes = readFileSync(path)
          for (
            const [label, changed] of [
              ["flipped", flip(bytes, bytes.length - 100)],
              ["truncated", bytes.subarray(0, bytes.length - 50)]
            ] as const
          ) {
            writeFileSync(`${path}.${label}`, changed)
            assert.strictEqual((await refusalOf(readArchiveFile(`${path}.${label}`, by))).problem, "damaged", label)
          }
        }
        const plain = join(folder, "plain")
        writeFileSync(plain, await archiveOf())
        assert.strictEqual((await refusalOf(readArchiveFile(plain, passphraseOf("x")))).problem, "not_encrypted")
      })
    }))
})

describe("the file of a backup", () => {
  it.scopedLive("appears complete, for its owner only, and never replaces one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const path = join(folder, "archive")
      yield* Effect.promise(async () => {
        await writeNewFile(path, inPieces(Buffer.from("abc"), 1))
        assert.strictEqual(readFileSync(path, "utf8"), "abc")
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        const refusal = await writeNewFile(path, inPieces(Buffer.from("x"))).catch((error: unknown) => error)
        assert.instanceOf(refusal, DestinationExists)
        // another process creates the file while this one writes
        const late = join(folder, "late")
        async function* racing() {
          writeFileSync(late, "first")
          yield Buffer.from("second")
        }
        assert.instanceOf(
          await writeNewFile(late, racing()).catch((error: unknown) => error),
          DestinationExists
        )
        assert.strictEqual(readFileSync(late, "utf8"), "first")
        async function* failing() {
          yield Buffer.from("half")
          throw new Error("the source failed")
        }
        await writeNewFile(join(folder, "failed"), failing()).catch(() => {})
        const written = writeArchive(
          { ...source, readRows: failing },
          (bytes) => writeNewFile(join(folder, "broken"), bytes)
        )
        assert.include(await written.catch(String), "the source failed")
        assert.deepStrictEqual(readdirSync(folder).sort(), ["archive", "late"])
      })
    }))

  it.scopedLive("leaves nothing that the next one does not delete, except what a running process writes", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const path = join(folder, "archive")
      const [dead, running] = [`archive.partial-999999999-0123abcd`, `archive.partial-${process.pid}-0123abcd`]
      for (const name of [dead, running, "archive.partial-mine", "other.partial-999999999-0123abcd"]) {
        writeFileSync(join(folder, name), "")
      }
      const removed = yield* Effect.promise(() => removePartialFiles(path))
      assert.deepStrictEqual(removed, [dead])
      assert.strictEqual(readdirSync(folder).length, 3)
      chmodSync(folder, 0o700)
      const exit = yield* Effect.exit(Effect.tryPromise(() => removePartialFiles(join(folder, "missing/archive"))))
      assert.isTrue(Exit.isFailure(exit))
    }))
})

it("the format is what docs/backup.md says", () => {
  assert.strictEqual(magic.toString("latin1"), "svc backup 1\n")
  assert.strictEqual(endOfTable.toString("latin1"), "\\.\n")
})
