/** Builds one xlsx file: receives slices of rows, then `end`, replies with the file, and ends. */
import { parentPort, workerData } from "node:worker_threads"
import writeXlsxFile, { type Cell, type Row } from "write-excel-file/node"
import type { XlsxRequest, XlsxResponse } from "./Xlsx.ts"

const rows: Array<Row> = []

const cellOf = (value: string | number | null): Cell => typeof value === "string" ? { type: String, value } : value

const respond = (what: XlsxResponse) => parentPort?.postMessage(what)

const finish = async () => {
  const sheet: string = workerData
  respond({ bytes: await writeXlsxFile(rows, { sheet, stickyRowsCount: 1 }).toBuffer() })
  parentPort?.close()
}

parentPort?.on("message", (question: XlsxRequest) => {
  if (question === "end") return void finish()
  for (const row of question) rows.push(row.map(cellOf))
  respond("more")
})
