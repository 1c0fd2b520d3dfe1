import { Either, Schema } from "effect"
import { createHash, verify } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { createBrotliDecompress } from "node:zlib"
import { publicKeyOf } from "../../kernel/keys/SigningKeys.ts"
import {
  ArchiveRefused,
  blockBytes,
  endOfTable,
  formatVersion,
  magic,
  magicOfAllFormats,
  Manifest,
  type ReportProgress,
  signedText,
  Summary,
  type TableColumns
} from "./Archive.ts"
import { ArchiveLines } from "./ArchiveLines.ts"
import { countLines } from "./CopyText.ts"

const makeDamaged = (where = "") =>
  new ArchiveRefused({ problem: "damaged", message: `the archive was changed or damaged${where}` })

const makeTruncated = (where: string) =>
  new ArchiveRefused({ problem: "truncated", message: `the archive is not complete: it ends ${where}` })

/** Files that people may take for an archive, by their first bytes. */
const knownFiles: ReadonlyArray<readonly [string, string]> = [
  ["SQLite format 3\0", "a SQLite database"],
  ["PGDMP", "an archive of pg_dump"],
  ["\x1f\x8b", "a gzip file"],
  ["PK\x03\x04", "a ZIP file"],
  ["-- ", "a SQL script"]
]

/** Enough to know each of these files by. */
const headBytes = 16

const makeForeign = (head: Buffer): ArchiveRefused => {
  const text = head.toString("latin1")
  if (text.startsWith(magicOfAllFormats.toString("latin1"))) {
    return new ArchiveRefused({
      problem: "newer_format",
      message: `the archive has another format than ${formatVersion}: a newer svc wrote it, or it was changed`
    })
  }
  const known = knownFiles.find(([begin]) => text.startsWith(begin))?.[1]
  return new ArchiveRefused({
    problem: "foreign",
    message: `the file is ${known ?? (text === "" ? "empty" : "no archive")}, and not one that svc backup wrote`
  })
}

/** What follows the first line. */
const removeMagic = (head: Buffer): Buffer => {
  if (head.subarray(0, magic.length).equals(magic)) return head.subarray(magic.length)
  throw head.length > 0 && magic.subarray(0, head.length).equals(head)
    ? makeTruncated("within its first line")
    : makeForeign(head)
}

/** The compressed bytes. Throws ArchiveRefused unless the file's first line is that of an archive. */
async function* skipMagic(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head = Buffer.alloc(0)
  let isSkipped = false
  for await (const chunk of bytes) {
    if (isSkipped) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < headBytes) continue
    yield removeMagic(head)
    isSkipped = true
  }
  if (!isSkipped) yield removeMagic(head)
}

const decodeJson = <A, I>(schema: Schema.Schema<A, I>, line: Buffer, where: string): A => {
  const decoded = Schema.decodeUnknownEither(Schema.parseJson(schema))(line.toString("utf8"))
  if (Either.isLeft(decoded)) throw makeDamaged(where)
  return decoded.right
}

/** A signature, if there is one, is by the key that it names. Whether that key is trusted is another question. */
const isSignedTruly = ({ sha256, signature }: Summary): boolean => {
  if (signature === null) return true
  const signer = publicKeyOf(signature.public_key)
  return signer?.key_id === signature.key_id &&
    verify(null, signedText(sha256), signer.key, Buffer.from(signature.signature, "base64url"))
}

/** Whatever one of its functions throws ends the reading. */
interface ArchiveVisitor {
  /** Takes all rows of a table, as blocks of whole lines, which may be damaged: only the end of the reading says it. */
  readonly takeRows?: (table: TableColumns, blocks: AsyncIterable<Buffer>) => Promise<void>
  readonly report?: ReportProgress
}

/** What an archive says about itself and has, all of its content verified. */
export interface VerifiedArchive {
  readonly manifest: Manifest
  readonly summary: Summary
}

const skipRows = async (_table: TableColumns, blocks: AsyncIterable<Buffer>): Promise<void> => {
  for await (const _ of blocks) { /* counted by the reader */ }
}

const readLines = async (
  lines: ArchiveLines,
  { report = () => {}, takeRows = skipRows }: ArchiveVisitor
): Promise<VerifiedArchive> => {
  const digest = createHash("sha256")
  const manifestLine = await lines.readLine("in its manifest")
  digest.update(manifestLine)
  const manifest = decodeJson(Manifest, manifestLine, " in its manifest")
  const tables: Array<Summary["tables"][number]> = []
  for (const table of manifest.tables) {
    const { name } = table
    let rows = 0
    let bytes = 0
    async function* readRows() {
      for (let block = await lines.readRows(name); block !== null; block = await lines.readRows(name)) {
        digest.update(block)
        rows += countLines(block)
        bytes += block.length
        yield block
        report({ table: name, rows, bytes })
      }
    }
    await takeRows(table, readRows())
    digest.update(endOfTable)
    tables.push({ name, rows, bytes })
  }
  const summary = decodeJson(Summary, await lines.readLine("in its summary"), " at its end")
  const isSame = JSON.stringify(summary.tables) === JSON.stringify(tables) && summary.sha256 === digest.digest("hex")
  if (!isSame || !isSignedTruly(summary) || !(await lines.isAtEnd())) throw makeDamaged()
  return { manifest, summary }
}

/**
 * Errors of the decompressor say that the archive is cut or damaged. Of a cut one it discards at most `blockBytes` before
 * the end, so the place is where the reader was.
 */
const refusalOf = (error: unknown, place: string): unknown => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (code === "Z_BUF_ERROR") return makeTruncated(`${place} or soon after`)
  return code.includes("ERROR_FORMAT") ? makeDamaged() : error
}

/**
 * Reads a whole archive and verifies its content. Throws ArchiveRefused. What the visitor takes is verified only when the
 * returned promise is fulfilled.
 */
export const readArchive = async (
  bytes: AsyncIterable<Uint8Array>,
  visitor: ArchiveVisitor = {}
): Promise<VerifiedArchive> => {
  const decompressor = createBrotliDecompress({ chunkSize: blockBytes })
  // not destroyed at its end, because bytes after it would then be an error of the stream
  const lines = new ArchiveLines(decompressor.iterator({ destroyOnReturn: false }))
  let compressedBytes = 0
  async function* countBytes(chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      compressedBytes += chunk.byteLength
      yield chunk
    }
  }
  const read = async (): Promise<VerifiedArchive> => {
    const verified = await readLines(lines, visitor)
    if (decompressor.bytesWritten < compressedBytes) throw makeDamaged() // more bytes after the compressed ones
    return verified
  }
  const begun: Array<Promise<VerifiedArchive>> = []
  const begin = () => {
    const reading = read()
    begun.push(reading)
    return reading
  }
  try {
    return await pipeline(skipMagic(bytes), countBytes, decompressor, begin)
  } catch (error) {
    await Promise.allSettled(begun) // a pipeline may fail before the visitor has ended its COPY
    throw refusalOf(error, lines.place)
  }
}
