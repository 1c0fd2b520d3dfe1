import { Effect } from "effect"
import { Agent, get } from "node:http"
import { percentile } from "../percentile.ts"

export interface Measured {
  readonly p50: number
  readonly p99: number
}

/** GETs over one kept connection. */
export const clientOf = (url: string, token: string, root = "/api/v1") => {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const send = (path: string) =>
    new Promise<string>((resolve, reject) => {
      get(`${url}${root}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${path}: ${response.statusCode} ${text}`))
        })
      }).on("error", reject)
    })

  /** Milliseconds of `count` requests, one after the other; the first few are not counted. */
  const measure = (count: number, pathOf: (index: number) => string) =>
    Effect.promise(async (): Promise<Measured> => {
      const times: Array<number> = []
      for (let index = -5; index < count; index++) {
        const path = pathOf(Math.abs(index))
        const began = process.hrtime.bigint()
        await send(path)
        if (index >= 0) times.push(Number(process.hrtime.bigint() - began) / 1e6)
      }
      return { p50: percentile(times, 50), p99: percentile(times, 99) }
    })

  return {
    send: (path: string) => Effect.promise(() => send(path)),
    measure,
    close: Effect.sync(() => agent.destroy())
  }
}
