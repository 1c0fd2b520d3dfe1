import { inflateRawSync } from "node:zlib"

/** The cells of a csv text, as RFC 4180 says. */
export const cellsOfCsv = (text: string): ReadonlyArray<ReadonlyArray<string>> => {
  const rows: Array<Array<string>> = []
  let row: Array<string> = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    row.push(match[1]?.replaceAll("\"\"", "\"") ?? match[2] ?? "")
    if (match[3] === "\r\n") {
      rows.push(row)
      row = []
    }
    if (cell.lastIndex === text.length) return rows
  }
  throw new Error("not csv as RFC 4180 has it")
}

/** The text of one file of a zip archive. */
const fileOfZip = (zip: Buffer, name: string): string => {
  for (let index = zip.readUInt32LE(zip.lastIndexOf("PK\u0005\u0006") + 16); zip.readUInt32LE(index) === 0x02014b50;) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(index + offset)) as [
      number,
      number,
      number
    ]
    if (zip.toString("utf8", index + 46, index + 46 + nameLength) === name) {
      const header = zip.readUInt32LE(index + 42)
      const begin = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28)
      const packed = zip.subarray(begin, begin + zip.readUInt32LE(index + 20))
      return (zip.readUInt16LE(index + 10) === 0 ? packed : inflateRawSync(packed)).toString("utf8")
    }
    index += 46 + nameLength + extraLength + commentLength
  }
  throw new Error(`no ${name} in the archive`)
}

const unescape = (xml: string) =>
  xml.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", "\"").replaceAll("&amp;", "&")

/** The cells of a spreadsheet's first sheet: text and numbers. */
export const cellsOfXlsx = (bytes: Buffer): ReadonlyArray<ReadonlyArray<string | number | null>> => {
  const shared = [...fileOfZip(bytes, "xl/sharedStrings.xml").matchAll(/<si><t[^>]*>([^<]*)<\/t><\/si>/g)].map((
    match
  ) => unescape(match[1]!))
  const sheet = fileOfZip(bytes, "xl/worksheets/sheet1.xml")
  const cell = /<c r="([A-Z]+)\d+"([^>]*?)(?:\/>|>(?:<v>([^<]*)<\/v>)?<\/c>)/g
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map((row) => {
    const cells: Array<string | number | null> = []
    for (const [, column = "", attributes = "", value] of row[1]!.matchAll(cell)) {
      const columnIndex = column.split("").reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
      while (cells.length < columnIndex) cells.push(null)
      cells.push(
        value === undefined ? null : attributes.includes("t=\"s\"") ? shared[Number(value)] ?? null : Number(value)
      )
    }
    return cells
  })
}
