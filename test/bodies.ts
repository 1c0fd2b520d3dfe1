import type { IncomingMessage } from "node:http"
import { gunzipSync } from "node:zlib"

/** What a client sent. */
export const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  const body = Buffer.concat(chunks)
  return (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString("utf8")
}

/** What the text is as JSON; undefined where it is none. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
