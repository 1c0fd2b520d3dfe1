import { createHash, sign } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { constants, createBrotliCompress } from "node:zlib"
import type { SigningKey } from "../../kernel/keys/SigningKeys.ts"
import {
  blockBytes,
  endOfTable,
  magic,
  type Manifest,
  maxRowBytes,
  type ReportProgress,
  type Signature,
  signedText,
  type Summary,
  type TableColumns
} from "./Archive.ts"
import { countLines } from "./CopyText.ts"

/**
 * Quality 1 of Brotli: 100 000 task rows (52 MB) take 0.1 s and become 5.7 MB; level 1 of gzip takes 0.28 s for 6.6 MB.
 * Node 20 has no zstd. Further blocks are read while another thread compresses one.
 */
const compression = {
  chunkSize: blockBytes,
  writableHighWaterMark: 4 * blockBytes,
  params: { [constants.BROTLI_PARAM_QUALITY]: 1 }
}

const signatureOf = ({ key_id, private: key, public_key }: SigningKey, sha256: string): Signature => ({
  key_id,
  public_key,
  signature: sign(null, signedText(sha256), key).toString("base64url")
})

const jsonLine = (value: Manifest | Summary): Buffer => Buffer.from(`${JSON.stringify(value)}\n`, "utf8")

/** Bytes of the row that a chunk begins or continues, and does not end; `before` of them were in earlier chunks. */
const bytesAfterLastRow = (chunk: Buffer, before: number): number => {
  const end = chunk.lastIndexOf(10)
  return end === -1 ? before + chunk.length : chunk.length - end - 1
}

interface ArchiveSource {
  readonly manifest: Manifest
  /** Null: the archive is not signed. */
  readonly signer: SigningKey | null
  /** The rows of a table as lines of PostgreSQL's COPY text format, in chunks of any length. */
  readonly readRows: (table: TableColumns) => AsyncIterable<Buffer>
  readonly report: ReportProgress
  /** Receives the summary before it is written. */
  readonly onSummary: (summary: Summary) => void
}

/** The lines of an archive, uncompressed. */
async function* readLines({ manifest, onSummary, readRows, report, signer }: ArchiveSource): AsyncGenerator<Buffer> {
  const digest = createHash("sha256")
  const addToDigest = (bytes: Buffer): Buffer => {
    digest.update(bytes)
    return bytes
  }
  const tables: Array<Summary["tables"][number]> = []
  yield addToDigest(jsonLine(manifest))
  for (const table of manifest.tables) {
    const { name } = table
    let rows = 0
    let bytes = 0
    let rowBytes = 0
    for await (const chunk of readRows(table)) {
      rowBytes = bytesAfterLastRow(chunk, rowBytes)
      if (rowBytes > maxRowBytes) throw new Error(`a row of ${name} has more than ${maxRowBytes} bytes`)
      rows += countLines(chunk)
      bytes += chunk.length
      yield addToDigest(chunk)
      report({ table: name, rows, bytes })
    }
    yield addToDigest(endOfTable)
    tables.push({ name, rows, bytes })
  }
  const sha256 = digest.digest("hex")
  const summary = { tables, sha256, signature: signer === null ? null : signatureOf(signer, sha256) }
  onSummary(summary)
  yield jsonLine(summary)
}

/** Gives an archive's bytes to `write`. Rows are read only as fast as it takes them, and no further when it fails. */
export const writeArchive = async <A>(
  source: ArchiveSource,
  write: (bytes: AsyncIterable<Buffer>) => Promise<A>,
  signal?: AbortSignal
): Promise<A> => {
  const lines = readLines(source)
  const compressor = createBrotliCompress(compression)
  async function* readFile(): AsyncGenerator<Buffer> {
    yield magic
    // destroyed by the pipeline: else a failed `write` would be reported as an abortion
    yield* compressor.iterator({ destroyOnReturn: false })
  }
  const begun: Array<Promise<A>> = []
  const begin = () => {
    const writing = write(readFile())
    begun.push(writing)
    return writing
  }
  try {
    return await pipeline(lines, compressor, begin, { signal })
  } finally {
    // a pipeline may fail before the rows' connection is free again, and before the unfinished file is deleted
    await Promise.allSettled([lines.return(undefined), ...begun])
  }
}
