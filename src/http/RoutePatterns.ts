import { Array as Arr } from "effect"
import { accessRules } from "./AccessRules.ts"

/** Routes that are not endpoints of the API. */
const plainRoutes = ["GET /", "GET /health", "GET /health/ready", "GET /metrics", "GET /api/v1/openapi.json", "GET /api/v1/docs"]

const parameter = /(?<!:):[a-z_]+/g

const patterns = [...accessRules.keys(), ...plainRoutes].map((route) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path, pattern: new RegExp(`^${path.replace(parameter, "[^/]+").replaceAll("::", ":")}$`) }
})

/** A path of so many slashes matches one of few patterns. */
const slashesOf = (path: string): number => path.split("/").length
const patternsBySlashes = Arr.groupBy(patterns, ({ path }) => String(slashesOf(path)))

const findPatterns = (url: string) => {
  const path = (url.split("?", 1)[0] ?? url).replace(/\/+/g, "/").replace(/(?<=.)\/$/, "")
  return (patternsBySlashes[slashesOf(path)] ?? []).filter(({ pattern }) => pattern.test(path))
}

/** The methods that there are for a path, whose slashes count as the router counts them: for 405 instead of 404. */
export const methodsOf = (url: string): ReadonlyArray<string> => findPatterns(url).map(({ method }) => method)

/** The route that takes a request, such as `/api/v1/projects/:slug`; null: none does. */
export const routeOf = (method: string, url: string): string | null => {
  const wanted = method === "HEAD" ? "GET" : method
  return findPatterns(url).find((route) => route.method === wanted)?.path ?? null
}
