import { Effect } from "effect"
import { createServer } from "node:http"
import { portOf } from "../../test/ports.ts"

export interface Arrival {
  /** Of `performance.now()`, when the head of the request was there. */
  readonly at: number
  readonly taskId: string
}

/** A webhook's receiver on a port of its own that takes everything at once. */
export const makeReceiver = (arrivals: Array<Arrival>) =>
  Effect.map(
    Effect.suspend(() =>
      portOf(createServer((request, response) => {
        const at = performance.now()
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          arrivals.push({ at, taskId: JSON.parse(Buffer.concat(chunks).toString()).data.task_id })
          response.end("ok")
        })
      }))
    ),
    (port) => `http://127.0.0.1:${port}/`
  )
