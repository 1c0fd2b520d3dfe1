import { createHash, sign } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants } from "node:zlib"
import type { SigningKey } from "../../kernel/keys/SigningKeys.ts"
import {
  blockBytes,
  frameHeaderBytes,
  type FrameKind,
  frameKinds,
  magic,
  type Manifest,
  maxRowBytes,
  type ReportProgress,
  type Signature,
  signedText,
  type Summary,
  type TableColumns
} from "./Archive.ts"

const compress = promisify(brotliCompress)

/**
 * Quality 1 of Brotli: 100 000 task rows (52 MB) take 0.1 s and become 5.7 MB; level 1 of gzip takes 0.28 s for 6.6 MB.
 * Node 20 has no zstd.
 */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

/** Blocks that are compressed by other threads while the next rows are read. */
const blocksInWork = 4

/** The digest of a frame: its header without the digest, its number, its content. */
export const frameDigest = (header: Buffer, number: number, content: Buffer): Buffer => {
  const numberBytes = Buffer.alloc(8)
  numberBytes.writeBigUInt64BE(BigInt(number))
  return createHash("sha256").update(header).update(numberBytes).update(content).digest()
}

interface FrameContent {
  readonly kind: FrameKind
  readonly table: number
  readonly rawBytes: number
  readonly content: Buffer
}

const encodeFrame = ({ content, kind, rawBytes, table }: FrameContent, number: number): Buffer => {
  const header = Buffer.alloc(frameHeaderBytes)
  header.writeUInt8(kind, 0)
  header.writeUInt16BE(table, 1)
  header.writeUInt32BE(rawBytes, 3)
  header.writeUInt32BE(content.length, 7)
  frameDigest(header.subarray(0, 11), number, content).copy(header, 11)
  return Buffer.concat([header, content])
}

const compressFrame = async (kind: FrameKind, table: number, raw: Buffer): Promise<FrameContent> => ({
  kind,
  table,
  rawBytes: raw.length,
  content: await compress(raw, compression)
})

/** Rows end with a line feed, and values contain none (`CopyText.ts`). */
const countLineFeeds = (bytes: Buffer): number => {
  let count = 0
  for (let position = bytes.indexOf(10); position !== -1; position = bytes.indexOf(10, position + 1)) count++
  return count
}

/** Bytes of the row that a block begins or continues, and does not end; `before` of them were in earlier blocks. */
export const bytesAfterLastRow = (block: Buffer, before: number): number => {
  const end = block.lastIndexOf(10)
  return end === -1 ? before + block.length : block.length - end - 1
}

/** Chunks of any length as blocks of `blockBytes`. */
async function* blocksOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Array<Buffer> = []
  let length = 0
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const part = chunk.subarray(from, from + blockBytes - length)
      parts.push(part)
      length += part.length
      from += part.length
      if (length < blockBytes) continue
      yield Buffer.concat(parts, length)
      parts = []
      length = 0
    }
  }
  if (length > 0) yield Buffer.concat(parts, length)
}

const signatureOf = ({ key_id, private: key, public_key }: SigningKey, sha256: string): Signature => ({
  key_id,
  public_key,
  signature: sign(null, signedText(sha256), key).toString("base64url")
})

interface ArchiveSource {
  readonly manifest: Manifest
  /** Null: the archive is not signed. */
  readonly signer: SigningKey | null
  /** The rows of a table as lines of PostgreSQL's COPY text format. */
  readonly readRows: (table: TableColumns) => AsyncIterable<Buffer>
  readonly report: ReportProgress
  /** Receives the summary before its frame. */
  readonly onSummary: (summary: Summary) => void
}

/** The bytes of an archive. Rows are read only as fast as the bytes are taken. */
export async function* encodeArchive(
  { manifest, onSummary, readRows, report, signer }: ArchiveSource
): AsyncGenerator<Buffer> {
  const digest = createHash("sha256")
  const tables: Array<Summary["tables"][number]> = []
  let number = 0
  const finish = (content: FrameContent): Buffer => {
    const frame = encodeFrame(content, number++)
    digest.update(frame)
    return frame
  }

  digest.update(magic)
  yield magic
  yield finish(await compressFrame(frameKinds.manifest, 0, Buffer.from(JSON.stringify(manifest), "utf8")))
  for (const [index, table] of manifest.tables.entries()) {
    const tableDigest = createHash("sha256")
    const inWork: Array<Promise<FrameContent>> = []
    let rows = 0
    let bytes = 0
    let rowBytes = 0
    try {
      for await (const block of blocksOf(readRows(table))) {
        tableDigest.update(block)
        rows += countLineFeeds(block)
        bytes += block.length
        rowBytes = bytesAfterLastRow(block, rowBytes)
        if (rowBytes > maxRowBytes) throw new Error(`a row of ${table.name} has more than ${maxRowBytes} bytes`)
        inWork.push(compressFrame(frameKinds.rows, index, block))
        report({ table: table.name, rows, bytes })
        const oldest = inWork.length < blocksInWork ? undefined : inWork.shift()
        if (oldest !== undefined) yield finish(await oldest)
      }
      for (let next = inWork.shift(); next !== undefined; next = inWork.shift()) yield finish(await next)
    } finally {
      await Promise.allSettled(inWork)
    }
    tables.push({ name: table.name, rows, bytes, sha256: tableDigest.digest("hex") })
  }
  const sha256 = digest.digest("hex")
  const summary = { tables, sha256, ...(signer !== null && { signature: signatureOf(signer, sha256) }) }
  onSummary(summary)
  yield encodeFrame(
    await compressFrame(frameKinds.summary, 0, Buffer.from(JSON.stringify(summary), "utf8")),
    number
  )
}
