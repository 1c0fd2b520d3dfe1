import { crc32, deflateSync, inflateSync } from "node:zlib"

/**
 * A PNG of at most 256 colours, from one of 8 bits a channel without interlacing, as browsers make them. Pictures of a
 * user interface become a third as large and look the same: only smoothed edges of text have more colours.
 */
export const toPalette = (png: Buffer): Buffer => {
  const { height, rgb, width } = decode(png)
  const { colours, pixels } = indexColours(rgb)
  return encode(width, height, pixels, colours)
}

const signature = Buffer.from("89504e470d0a1a0a", "hex")

const paeth = (left: number, up: number, corner: number): number => {
  const byLeft = Math.abs(up - corner)
  const byUp = Math.abs(left - corner)
  const byCorner = Math.abs(left + up - 2 * corner)
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner
}

/** The filters of PNG (RFC 2083, section 6): each byte is stored as the difference to what its neighbours predict. */
const predict = (filter: number, left: number, up: number, corner: number): number =>
  filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : filter === 4 ? paeth(left, up, corner) : 0

const decode = (png: Buffer) => {
  let width = 0
  let height = 0
  let channels = 3
  const data: Array<Buffer> = []
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at)
    const type = png.toString("latin1", at + 4, at + 8)
    const body = png.subarray(at + 8, at + 8 + length)
    if (type === "IHDR") {
      width = body.readUInt32BE(0)
      height = body.readUInt32BE(4)
      channels = body[9] === 6 ? 4 : 3
    } else if (type === "IDAT") data.push(body)
    at += length + 12
  }
  const raw = inflateSync(Buffer.concat(data))
  const stride = width * channels
  const rgb = Buffer.alloc(width * height * 3)
  let previous = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const begin = y * (stride + 1)
    const filter = raw[begin] ?? 0
    const line = Buffer.from(raw.subarray(begin + 1, begin + 1 + stride))
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : line[x - channels] ?? 0
      const corner = x < channels ? 0 : previous[x - channels] ?? 0
      line[x] = ((line[x] ?? 0) + predict(filter, left, previous[x] ?? 0, corner)) & 255
    }
    for (let x = 0; x < width; x++) line.copy(rgb, (y * width + x) * 3, x * channels, x * channels + 3)
    previous = line
  }
  return { width, height, rgb }
}

const maxColours = 256

/** A byte for each pixel, and the colours that the bytes mean: the most frequent ones; others become the nearest. */
const indexColours = (rgb: Buffer) => {
  const counts = new Map<number, number>()
  const keyAt = (at: number) => ((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0)
  for (let at = 0; at < rgb.length; at += 3) counts.set(keyAt(at), (counts.get(keyAt(at)) ?? 0) + 1)
  const byCount = [...counts].sort(([, left], [, right]) => right - left).map(([key]) => key)
  const palette = byCount.slice(0, maxColours)
  const distance = (one: number, other: number) =>
    ((one >> 16) - (other >> 16)) ** 2 + (((one >> 8) & 255) - ((other >> 8) & 255)) ** 2 +
    ((one & 255) - (other & 255)) ** 2
  const nearest = (key: number) =>
    palette.reduce((best, colour, index) => distance(colour, key) < distance(palette[best] ?? 0, key) ? index : best, 0)
  const indexes = new Map(byCount.map((key, place) => [key, place < maxColours ? place : nearest(key)]))
  const pixels = Buffer.alloc(rgb.length / 3)
  for (let pixel = 0; pixel < pixels.length; pixel++) pixels[pixel] = indexes.get(keyAt(pixel * 3)) ?? 0
  return { pixels, colours: palette.flatMap((key) => [key >> 16, (key >> 8) & 255, key & 255]) }
}

const chunk = (type: string, body: Buffer): Buffer => {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), body])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(body.length, 0)
  frame.writeUInt32BE(crc32(typed), 4)
  return Buffer.concat([frame.subarray(0, 4), typed, frame.subarray(4)])
}

const encode = (width: number, height: number, pixels: Buffer, colours: ReadonlyArray<number>): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8) // 8 bits a pixel, by a palette
  const lines = Buffer.alloc(height * (width + 1)) // without a filter, which makes pictures of a palette larger
  for (let y = 0; y < height; y++) pixels.copy(lines, y * (width + 1) + 1, y * width, (y + 1) * width)
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colours)),
    chunk("IDAT", deflateSync(lines, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}
