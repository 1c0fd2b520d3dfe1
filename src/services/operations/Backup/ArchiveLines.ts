import { ArchiveRefused, endOfTable, maxRowBytes } from "./Archive.ts"

const endWithinBlock = Buffer.concat([Buffer.from("\n"), endOfTable])

/** Takes the lines of an archive one after the other, rows as many at once as a chunk has. */
export class ArchiveLines {
  /** Where the reader is, for its refusals. */
  place = "in its manifest"
  private readonly blocks: AsyncIterator<Buffer>
  private block: Buffer = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Buffer>) {
    this.blocks = this.joinLines(chunks)
  }

  /** Chunks of any length as blocks of whole lines; at the end also what has no line feed. */
  private async *joinLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let begun: Array<Buffer> = []
    let begunBytes = 0
    for await (const chunk of chunks) {
      const end = chunk.lastIndexOf(10) + 1
      if (end > 0) {
        yield Buffer.concat([...begun, chunk.subarray(0, end)])
        begun = []
        begunBytes = 0
      }
      begun.push(chunk.subarray(end))
      begunBytes += chunk.length - end
      if (begunBytes > maxRowBytes) {
        throw new ArchiveRefused({
          problem: "damaged",
          message: `a row ${this.place} has more than ${maxRowBytes} bytes, so svc did not write this archive`
        })
      }
    }
    if (begunBytes > 0) yield Buffer.concat(begun)
  }

  private take(count: number): Buffer {
    const taken = this.block.subarray(0, count)
    this.block = this.block.subarray(count)
    return taken
  }

  /** Whether there is no further line. Reads to the end of the chunks, where a cut archive fails. */
  async isAtEnd(): Promise<boolean> {
    if (this.block.length > 0) return false
    const next = await this.blocks.next()
    if (next.done !== true) this.block = next.value
    return next.done === true
  }

  /** The next line; empty at the end. */
  async readLine(place: string): Promise<Buffer> {
    this.place = place
    return (await this.isAtEnd()) ? this.block : this.take(this.block.indexOf(10) + 1 || this.block.length)
  }

  /** Further rows of a table; null at its end. */
  async readRows(table: string): Promise<Buffer | null> {
    this.place = `in the table ${table}`
    if (await this.isAtEnd()) return null
    if (this.block.subarray(0, endOfTable.length).equals(endOfTable)) {
      this.take(endOfTable.length)
      return null
    }
    const end = this.block.indexOf(endWithinBlock)
    return this.take(end === -1 ? this.block.length : end + 1)
  }
}
