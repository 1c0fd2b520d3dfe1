import type { HttpServerRequest } from "@effect/platform"
import { Array as Arr } from "effect"
import { accessRules } from "./AccessRules.ts"
import { dashboardRoutes } from "./Dashboard/Paths.ts"

/** Routes that are not endpoints of the API. */
const plainRoutes = [
  ...dashboardRoutes.map((path) => `GET ${path}`),
  "GET /assets/:file",
  "GET /health",
  "GET /health/ready",
  "GET /metrics",
  "GET /ws/agent",
  "GET /api/v1/openapi.json",
  "GET /api/v1/docs"
]

const parameter = /(?<!:):[a-z_]+/g

const patterns = [...accessRules.keys(), ...plainRoutes].map((route) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path, pattern: new RegExp(`^${path.replace(parameter, "[^/]+").replaceAll("::", ":")}$`) }
})

/** Few patterns have the same number of slashes, so a path is compared with few. */
const slashesOf = (path: string): number => path.split("/").length
const patternsBySlashes = Arr.groupBy(patterns, ({ path }) => String(slashesOf(path)))

const findPatterns = (url: string) => {
  const path = (url.split("?", 1)[0] ?? url).replace(/\/+/g, "/").replace(/(?<=.)\/$/, "")
  return (patternsBySlashes[slashesOf(path)] ?? []).filter(({ pattern }) => pattern.test(path))
}

/** The methods of a path, with its slashes counted as the router counts them: for 405 instead of 404. */
export const methodsOf = (url: string): ReadonlyArray<string> => findPatterns(url).map(({ method }) => method)

/** The routes of requests in progress, which the router has matched already: to match again takes 12 µs of a request. */
const notedRoutes = new WeakMap<object, string>()

export const noteRoute = ({ source }: HttpServerRequest.HttpServerRequest, path: string): void => {
  if (typeof source === "object" && source !== null) notedRoutes.set(source, path)
}

const pathsWithoutParameters = new Map(
  patterns.filter(({ path }) => path.search(parameter) === -1).map(({ method, path }) => [`${method} ${path}`, path])
)

/** The route of a request, such as `/api/v1/projects/:slug`; null for none. */
export const routeOf = ({ method, source, url }: HttpServerRequest.HttpServerRequest): string | null => {
  const noted = typeof source === "object" && source !== null ? notedRoutes.get(source) : undefined
  if (noted !== undefined) return noted
  const exact = pathsWithoutParameters.get(`${method} ${url}`)
  if (exact !== undefined) return exact
  const wanted = method === "HEAD" ? "GET" : method
  return findPatterns(url).find((route) => route.method === wanted)?.path ?? null
}
