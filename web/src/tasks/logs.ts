import { parse, stringify } from "lossless-json"
import type { Schemas } from "../api/client.ts"

type ReadLogs = Schemas["TaskLogs"]

export interface LogLine extends Omit<ReadLogs["items"][number], "fields"> {
  /** JSON text: JSON.parse rounds numbers beyond 2^53. */
  readonly fields: string | null
}

export interface Logs extends Omit<ReadLogs, "items"> {
  readonly items: ReadonlyArray<LogLine>
}

/** The logs of a response's text; numbers in the fields of a line keep their digits. */
export const parseLogs = (text: string): Logs => {
  const logs = JSON.parse(text) as ReadLogs // the contract of the operation
  const exact = parse(text) as Pick<ReadLogs, "items"> // the same response, with numbers as text
  const fieldsAt = (index: number) => stringify(exact.items[index]?.fields) ?? null
  return {
    ...logs,
    items: logs.items.map((line, index) => ({ ...line, fields: line.fields === null ? null : fieldsAt(index) }))
  }
}

/** What follows the message. */
export const fieldsText = ({ fields }: LogLine): string => fields === null ? "" : ` ${fields}`
