import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Readable } from "node:stream"
import { brotliCompressSync } from "node:zlib"
import { type SigningKey, signingKeyOf } from "../../../../src/services/kernel/keys/SigningKeys.ts"
import {
  ArchiveRefused,
  blockBytes,
  formatVersion,
  frameHeaderBytes,
  magic,
  type Manifest,
  maxFrameBytes,
  maxRowBytes,
  type Summary
} from "../../../../src/services/operations/Backup/Archive.ts"
import { readArchiveFile } from "../../../../src/services/operations/Backup/ArchiveFile.ts"
import { readArchive } from "../../../../src/services/operations/Backup/ArchiveReader.ts"
import { encodeArchive, frameDigest } from "../../../../src/services/operations/Backup/ArchiveWriter.ts"
import { decodeLine, encodeLine } from "../../../../src/services/operations/Backup/CopyText.ts"
import { encryptBytes, type Encryption } from "../../../../src/services/operations/Backup/Encryption.ts"
import {
  DestinationExists,
  removePartialFiles,
  writeNewFile
} from "../../../../src/services/operations/Backup/NewFile.ts"
import { temporaryHome } from "../../../databases.ts"
import { hostileTexts } from "./rows.ts"

const tables = ["users", "empty", "tasks", "large"].map((name) => ({
  name,
  columns: [{ name: "id", kind: "text" as const }]
}))

const manifest: Manifest = {
  format: formatVersion,
  id: "0192f000-0000-7000-8000-000000000001",
  created_at: "2026-11-23T12:00:00.000000Z",
  program: "0.1.0",
  database: "sqlite",
  revision: 1,
  audit_head: null,
  keys: { secret: [], audit_chain: null, audit_signing: [] },
  sequences: {},
  tables
}

const rowsOf = (table: string): ReadonlyArray<string> => {
  if (table === "empty") return []
  if (table === "large") return [encodeLine(["x".repeat(3 * blockBytes)]), encodeLine(["ä".repeat(blockBytes)])]
  return [`${table}1\n`, `${table}2\n`]
}

async function* readRows({ name }: { readonly name: string }) {
  for (const row of rowsOf(name)) yield Buffer.from(row)
}

const sourceOf = (signer: SigningKey | null) => ({
  manifest,
  readRows,
  report: () => {},
  onSummary: () => {},
  signer
})

/** The parts of an archive: its first line, then its frames. */
const partsOf = async (): Promise<ReadonlyArray<Buffer>> => {
  const parts: Array<Buffer> = []
  for await (const part of encodeArchive(sourceOf(null))) parts.push(part)
  return parts
}

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
    const bytes = Buffer.concat(await partsOf())
    for (const size of [7, 1000, bytes.length]) {
      const found = new Map<string, string>()
      const { summary } = await readArchive(inPieces(bytes, size), {
        onRows: async (table, block) => void found.set(table, (found.get(table) ?? "") + block.toString("latin1"))
      })
      for (const { name } of tables) {
        const text = Buffer.from(rowsOf(name).join(""), "utf8").toString("latin1")
        assert.isTrue((found.get(name) ?? "") === text, name)
      }
      assert.deepStrictEqual(summary.tables.map(({ rows }: Summary["tables"][number]) => rows), [2, 0, 2, 2])
    }
  })

  it("with one flipped bit names the table, or the part, that was changed", async () => {
    const parts = await partsOf()
    const bytes = Buffer.concat(parts)
    let offset = 0
    const sections = parts.map((part) => ({ begin: offset, end: offset += part.length }))
    const frameTables = ["users", "tasks", "large", "large", "large", "large", "large", "large"]
    for (const [index, { begin, end }] of sections.entries()) {
      // header without the table's number and kind, digest, first and last byte of the content
      const places = index === 0 ? [0, 5, end - 1] : [begin + 8, begin + 20, begin + frameHeaderBytes, end - 1]
      for (const position of places) {
        const { message, problem } = await refusalOf(inPieces(flip(bytes, position, position % 8)))
        const where = `${index} ${position - begin}: ${message}`
        if (index === 0) assert.include(["foreign", "newer_format"], problem, where)
        else assert.include(["damaged", "truncated"], problem, where)
        const table = frameTables[index - 2]
        if (index === 1) assert.include(message, "manifest", where)
        else if (table !== undefined) assert.include(message, `in the table ${table}`, where)
      }
    }
    assert.strictEqual(sections.length, 2 + 8 + 1)
    // every byte of the headers, with the kind and the table's number
    for (const { begin } of sections.slice(1)) {
      for (let position = begin; position < begin + frameHeaderBytes; position++) {
        await refusalOf(inPieces(flip(bytes, position)))
      }
    }
  })

  it("that is truncated anywhere, continued, or has frames in another order is refused", async () => {
    const parts = await partsOf()
    const bytes = Buffer.concat(parts)
    for (let position = 0; position < bytes.length; position += position < 300 ? 1 : 37) {
      const { problem } = await refusalOf(inPieces(bytes.subarray(0, position)))
      assert.strictEqual(problem, position === 0 ? "foreign" : "truncated", `truncated at ${position}`)
    }
    assert.strictEqual((await refusalOf(inPieces(Buffer.concat([bytes, Buffer.from("x")])))).problem, "damaged")
    for (let index = 2; index < parts.length - 1; index++) {
      const [one, next] = [parts[index], parts[index + 1]]
      const without = parts.filter((_, position) => position !== index)
      await refusalOf(inPieces(Buffer.concat(without)))
      if (one === undefined || next === undefined) continue
      await refusalOf(inPieces(Buffer.concat([...parts.slice(0, index), next, one, ...parts.slice(index + 2)])))
    }
  })

  it("has no row above 64 MiB: neither written, nor unpacked from a few bytes", async () => {
    const huge = Buffer.alloc(maxFrameBytes, "a")
    const count = maxRowBytes / maxFrameBytes + 1
    async function* readHuge({ name }: { readonly name: string }) {
      if (name === "tasks") { for (let position = 0; position < count; position++) yield huge }
    }
    const write = async () => {
      for await (const _ of encodeArchive({ ...sourceOf(null), readRows: readHuge })) { /* until it fails */ }
    }
    const failure = await write().then(() => null, (error: unknown) => error)
    assert.include(String(failure), `a row of tasks has more than ${maxRowBytes} bytes`)

    const frame = (kind: number, table: number, raw: Buffer, number: number) => {
      const content = brotliCompressSync(raw)
      const header = Buffer.alloc(11)
      header.writeUInt8(kind, 0)
      header.writeUInt16BE(table, 1)
      header.writeUInt32BE(raw.length, 3)
      header.writeUInt32BE(content.length, 7)
      return Buffer.concat([header, frameDigest(header, number, content), content])
    }
    const bomb = [frame(1, 0, Buffer.from(JSON.stringify(manifest)), 0)]
    for (let position = 1; position <= count; position++) bomb.push(frame(2, 2, huge, position))
    const file = Buffer.concat([magic, ...bomb])
    assert.isBelow(file.length, 10_000)
    const { message, problem } = await refusalOf(inPieces(file))
    assert.deepStrictEqual([problem, /in the table tasks has more than \d+ bytes/.test(message)], ["damaged", true])
  })

  it("says who signed it; a signature of other bytes, or by another key than it names, is damage", async () => {
    const signer = signingKeyOf(Buffer.alloc(32, 1))
    const write = async (key: SigningKey) => {
      const parts: Array<Buffer> = []
      for await (const part of encodeArchive(sourceOf(key))) parts.push(part)
      return Buffer.concat(parts)
    }
    const { summary } = await readArchive(inPieces(await write(signer)))
    assert.deepInclude(summary.signature, { key_id: signer.key_id, public_key: signer.public_key })
    const other = signingKeyOf(Buffer.alloc(32, 2))
    for (const forged of [{ ...signer, private: other.private }, { ...other, key_id: signer.key_id }]) {
      assert.strictEqual((await refusalOf(inPieces(await write(forged)))).problem, "damaged")
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
    const bytes = encryptBytes(Readable.from(await partsOf()), encryption)
    await writeNewFile(path, bytes, new AbortController().signal)
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
        writeFileSync(plain, Buffer.concat(await partsOf()))
        assert.strictEqual((await refusalOf(readArchiveFile(plain, passphraseOf("x")))).problem, "not_encrypted")
      })
    }))
})

describe("the file of a backup", () => {
  const signal = new AbortController().signal

  it.scopedLive("appears complete, for its owner only, and never replaces one", () =>
    Effect.gen(function*() {
      const folder = yield* temporaryHome
      const path = join(folder, "archive")
      yield* Effect.promise(async () => {
        await writeNewFile(path, inPieces(Buffer.from("abc"), 1), signal)
        assert.strictEqual(readFileSync(path, "utf8"), "abc")
        assert.strictEqual(statSync(path).mode & 0o777, 0o600)
        const refusal = await writeNewFile(path, inPieces(Buffer.from("x")), signal).catch((error: unknown) => error)
        assert.instanceOf(refusal, DestinationExists)
        // another process creates the file while this one writes
        const late = join(folder, "late")
        async function* racing() {
          writeFileSync(late, "first")
          yield Buffer.from("second")
        }
        assert.instanceOf(
          await writeNewFile(late, racing(), signal).catch((error: unknown) => error),
          DestinationExists
        )
        assert.strictEqual(readFileSync(late, "utf8"), "first")
        async function* failing() {
          yield Buffer.from("half")
          throw new Error("the source failed")
        }
        await writeNewFile(join(folder, "failed"), failing(), signal).catch(() => {})
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
  assert.strictEqual(frameHeaderBytes, 43)
})
