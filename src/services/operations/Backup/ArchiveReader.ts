import { Either, Schema } from "effect"
import { createHash, verify } from "node:crypto"
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { publicKeyOf } from "../../kernel/keys/SigningKeys.ts"
import {
  ArchiveRefused,
  formatVersion,
  frameHeaderBytes,
  frameKinds,
  magic,
  magicOfAllFormats,
  Manifest,
  maxFrameBytes,
  maxRowBytes,
  type ReportProgress,
  signedText,
  Summary
} from "./Archive.ts"
import { bytesAfterLastRow, frameDigest } from "./ArchiveWriter.ts"
import { ByteReader } from "./ByteReader.ts"

const decompress = promisify(brotliDecompress)

const makeDamaged = (where: string) =>
  new ArchiveRefused({ problem: "damaged", message: `the archive was changed or damaged ${where}` })

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

const foreign = (head: Buffer): ArchiveRefused => {
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

const decodeJson = <A, I>(schema: Schema.Schema<A, I>, content: Buffer, where: string): A => {
  const decoded = Schema.decodeUnknownEither(Schema.parseJson(schema))(content.toString("utf8"))
  if (Either.isLeft(decoded)) throw makeDamaged(where)
  return decoded.right
}

interface Frame {
  readonly kind: number
  readonly table: number
  readonly raw: Buffer
  /** The bytes in the file. */
  readonly stored: ReadonlyArray<Buffer>
}

/** Names the part of the archive that a header is about; null: there is none. */
type DescribePlace = (table: number | null) => string

/** The next frame, verified. Throws ArchiveRefused. */
const readFrame = async (reader: ByteReader, number: number, describe: DescribePlace): Promise<Frame> => {
  const header = await reader.read(frameHeaderBytes)
  if (header === null) throw makeTruncated(describe(null))
  const where = describe(header.readUInt8(0) === frameKinds.rows ? header.readUInt16BE(1) : null)
  const rawBytes = header.readUInt32BE(3)
  const contentBytes = header.readUInt32BE(7)
  if (rawBytes > maxFrameBytes || contentBytes > maxFrameBytes) throw makeDamaged(where)
  const content = await reader.read(contentBytes)
  if (content === null) throw makeTruncated(where)
  if (!frameDigest(header.subarray(0, 11), number, content).equals(header.subarray(11))) throw makeDamaged(where)
  const raw = await decompress(content, { maxOutputLength: maxFrameBytes }).catch(() => {
    throw makeDamaged(where)
  })
  if (raw.length !== rawBytes) throw makeDamaged(where)
  return { kind: header.readUInt8(0), table: header.readUInt16BE(1), raw, stored: [header, content] }
}

/** A signature, if there is one, is by the key that it names. Whether that key is trusted is another question. */
const isSignedTruly = ({ sha256, signature }: Summary): boolean => {
  if (signature === undefined) return true
  const signer = publicKeyOf(signature.public_key)
  return signer?.key_id === signature.key_id &&
    verify(null, signedText(sha256), signer.key, Buffer.from(signature.signature, "base64url"))
}

/** Receives an archive's parts in their order. Whatever it throws ends the reading. */
interface ArchiveVisitor {
  readonly onManifest?: (manifest: Manifest) => void
  /** A block of a table's rows; the rows of one table come together. */
  readonly onRows?: (table: string, block: Buffer) => Promise<void>
  readonly report?: ReportProgress
}

/** What an archive says about itself and has, every byte verified. */
export interface VerifiedArchive {
  readonly manifest: Manifest
  readonly summary: Summary
}

/**
 * Reads a whole archive and verifies every byte. Throws ArchiveRefused. A visitor gets verified blocks, but only the
 * returned promise says that the archive is complete.
 */
export const readArchive = async (
  bytes: AsyncIterable<Uint8Array>,
  { onManifest, onRows, report }: ArchiveVisitor = {}
): Promise<VerifiedArchive> => {
  const reader = new ByteReader(bytes)
  try {
    const head = await reader.peek(magic.length)
    if (!head.equals(magic)) {
      throw head.length > 0 && head.length < magic.length && magic.subarray(0, head.length).equals(head)
        ? makeTruncated("within its first line")
        : foreign(await reader.peek(16))
    }
    const digest = createHash("sha256").update((await reader.read(magic.length)) ?? "")
    let number = 0
    const next = async (describe: DescribePlace) => {
      const frame = await readFrame(reader, number++, describe)
      if (frame.kind !== frameKinds.summary) { for (const part of frame.stored) digest.update(part) }
      return frame
    }

    const first = await next(() => "in its manifest")
    if (first.kind !== frameKinds.manifest) throw makeDamaged("in its manifest")
    const manifest = decodeJson(Manifest, first.raw, "in its manifest")
    onManifest?.(manifest)

    const found: Array<Summary["tables"][number]> = []
    const describe = (table: number | null): string => {
      const name = manifest.tables[table ?? -1]?.name
      return name === undefined ? "before its end" : `in the table ${name}`
    }
    let frame = await next(describe)
    for (const [index, { name }] of manifest.tables.entries()) {
      const tableDigest = createHash("sha256")
      let rows = 0
      let size = 0
      let rowBytes = 0
      while (frame.kind === frameKinds.rows && frame.table === index) {
        tableDigest.update(frame.raw)
        size += frame.raw.length
        rowBytes = bytesAfterLastRow(frame.raw, rowBytes)
        if (rowBytes > maxRowBytes) {
          throw new ArchiveRefused({
            problem: "damaged",
            message: `a row in the table ${name} has more than ${maxRowBytes} bytes, so svc did not write this archive`
          })
        }
        for (let position = frame.raw.indexOf(10); position !== -1; position = frame.raw.indexOf(10, position + 1)) {
          rows++
        }
        await onRows?.(name, frame.raw)
        report?.({ table: name, rows, bytes: size })
        frame = await next(describe)
      }
      found.push({ name, rows, bytes: size, sha256: tableDigest.digest("hex") })
    }
    if (frame.kind !== frameKinds.summary) throw makeDamaged("in the order of its tables")
    const summary = decodeJson(Summary, frame.raw, "in its summary")
    const isWhole = JSON.stringify(summary.tables) === JSON.stringify(found) && summary.sha256 === digest.digest("hex")
    if (!isWhole || !isSignedTruly(summary) || (await reader.peek(1)).length > 0) throw makeDamaged("at its end")
    return { manifest, summary }
  } finally {
    await reader.close()
  }
}
