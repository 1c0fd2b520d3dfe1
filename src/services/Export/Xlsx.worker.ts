/** A thread that makes one xlsx file: rows come in pieces, then `end`; the file goes back, and the thread is over. */
import { parentPort, workerData } from "node:worker_threads"
import writeXlsxFile, { type Cell, type Row } from "write-excel-file/node"
import type { XlsxAnswer, XlsxQuestion } from "./Xlsx.ts"

/** Characters that Excel takes in one cell. */
const mostCharacters = 32_767

const rows: Array<Row> = []

const cellOf = (value: string | number | null): Cell =>
  typeof value === "string" ? { type: String, value: value.slice(0, mostCharacters) } : value

const finish = async () => {
  const sheet: string = workerData
  const bytes = await writeXlsxFile(rows, { sheet, stickyRowsCount: 1 }).toBuffer()
  parentPort?.postMessage({ bytes } satisfies XlsxAnswer)
  parentPort?.close()
}

parentPort?.on("message", (question: XlsxQuestion) => {
  if (question === "end") void finish()
  else for (const row of question) rows.push(row.map(cellOf))
})
