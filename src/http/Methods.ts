import { rules } from "./Rules.ts"

/** Routes that are not endpoints of the API. */
const plain = ["GET /health", "GET /health/ready", "GET /metrics", "GET /api/v1/openapi.json", "GET /api/v1/docs"]

const patterns = [...rules.keys(), ...plain].map((route) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, pattern: new RegExp(`^${path.replaceAll("::", ":\u0000").replace(/:[a-z_]+/g, "[^/]+").replaceAll(":\u0000", ":")}$`) }
})

/** The methods that there are for a path, whose slashes count as the router counts them: for 405 instead of 404. */
export const methodsOf = (url: string): ReadonlyArray<string> => {
  const path = (url.split("?", 1)[0] ?? url).replace(/\/+/g, "/").replace(/\/$/, "")
  return patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
}
