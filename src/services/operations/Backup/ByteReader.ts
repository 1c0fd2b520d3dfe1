/** Reads exact numbers of bytes from chunks of any length. */
export class ByteReader {
  private readonly chunks: AsyncIterator<Uint8Array>
  private parts: Array<Buffer> = []
  private length = 0

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.chunks = bytes[Symbol.asyncIterator]()
  }

  /** Buffers at least so many bytes, or all that are left. */
  private async fill(count: number): Promise<Buffer> {
    while (this.length < count) {
      const next = await this.chunks.next()
      if (next.done === true) break
      this.parts.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength))
      this.length += next.value.byteLength
    }
    const [only, ...others] = this.parts
    const all = only !== undefined && others.length === 0 ? only : Buffer.concat(this.parts, this.length)
    this.parts = [all]
    return all
  }

  /** The next bytes, fewer at the end; they are read again. */
  async peek(count: number): Promise<Buffer> {
    return (await this.fill(count)).subarray(0, count)
  }

  /** The next `count` bytes; null when fewer are left. */
  async read(count: number): Promise<Buffer | null> {
    const all = await this.fill(count)
    if (all.length < count) return null
    this.parts = [all.subarray(count)]
    this.length -= count
    return all.subarray(0, count)
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.chunks.return?.()
  }
}
