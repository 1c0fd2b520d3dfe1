/** First byte of a frame that is a whole text message (RFC 6455, section 5.2). */
const finalTextByte = 0x81
const maxShortLength = 125
const max16BitLength = 0xffff

const headerBytes = (bytes: number): number => (bytes <= maxShortLength ? 2 : bytes <= max16BitLength ? 4 : 10)

/**
 * Encodes a server's text messages, unmasked, as the bytes of one write. The WebSocket library makes two writes of each
 * message, which for hundreds of small ones costs more than signing them.
 */
export const encodeTextMessages = (texts: ReadonlyArray<string>): Buffer => {
  const lengths = texts.map((text) => Buffer.byteLength(text))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headerBytes(length) + length, 0))
  let offset = 0
  for (let index = 0; index < texts.length; index++) {
    const length = lengths[index]!
    bytes[offset] = finalTextByte
    if (length <= maxShortLength) bytes[offset + 1] = length
    else if (length <= max16BitLength) {
      bytes[offset + 1] = 126
      bytes.writeUInt16BE(length, offset + 2)
    } else {
      bytes[offset + 1] = 127
      bytes.writeBigUInt64BE(BigInt(length), offset + 2)
    }
    offset += headerBytes(length)
    offset += bytes.write(texts[index]!, offset, "utf8")
  }
  return bytes
}
