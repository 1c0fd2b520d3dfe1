import { Effect } from "effect"
import type { BrainProcess } from "./brainProcess.ts"

/** Calls with this bearer token, and their responses: paths under /api/v1 unless they begin with `//`. */
export const callAt =
  (brain: Pick<BrainProcess, "url">, token: string) => (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(
        path.startsWith("//") ? `${brain.url}${path.slice(1)}` : `${brain.url}/api/v1${path}`,
        {
          method,
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        }
      )
      const text = await response.text()
      const contentType = response.headers.get("content-type") ?? ""
      return { status: response.status, text, json: contentType.includes("json") ? JSON.parse(text) : null }
    })
