import { Effect } from "effect"
import { client } from "../http/Client.ts"
import { Settings } from "../services/Settings.ts"
import { withTimeout } from "./Remote.ts"

/** Addresses on which a server hears every network, and itself under another. */
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::", "[::]"])

/** Whether the brain of these settings runs on this machine: `ready`, why it is not ready, or null where nothing answers. */
export const probeBrain = Effect.gen(function*() {
  const { host, port } = yield* Settings
  const name = wildcards.has(host) ? "127.0.0.1" : host
  const url = `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
  const api = yield* client({ baseUrl: url, transform: withTimeout })
  const readiness = yield* api.health.ready({}).pipe(Effect.timeout("3 seconds"), Effect.option)
  return { url, readiness }
})
