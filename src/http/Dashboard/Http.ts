import { HttpLayerRouter, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { NotFound } from "../../domain/kernel/Errors.ts"
import { Setup } from "../../services/identity/Setup.ts"
import { publicUrlOf } from "../../services/kernel/PublicUrl.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { respondWithPage } from "../Html/HtmlPage.ts"
import { Cookies } from "../middleware/Cookies.ts"
import { compressText, respondWithFile } from "../PreparedFile.ts"
import { readDashboard } from "./Files.ts"
import { homePage, setupPendingPage } from "./HomePage.ts"
import { makeLinks } from "./Links.ts"
import { dashboardRoutes } from "./Paths.ts"

/** Scripts, styles, fonts and calls only of this server; no inline code; no frame around it (CSP Level 3). */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"

/** The names of these files change with their content. */
const immutable = { "cache-control": "public, max-age=31536000, immutable" }

/** Whether a browser asks for a page, and not for what the API or the dashboard's files have. */
const isForPerson = ({ headers, url }: HttpServerRequest.HttpServerRequest): boolean =>
  (headers["accept"] ?? "").includes("text/html") && !/^\/+(api|assets)(\/|\?|$)/i.test(url)

const fileNotFound = new NotFound({ resource: "file" })

/** `/`, and the dashboard with its pages and files. Without a built dashboard `/` says where things are. */
export const routes = HttpLayerRouter.use(Effect.fnUntraced(function*(router) {
  const setup = yield* Setup
  const cookies = yield* Cookies
  const settings = yield* Settings
  const dashboard = settings.dashboard ? yield* readDashboard : null
  if (dashboard === null) {
    yield* router.add(
      "GET",
      "/",
      Effect.map(setup.isFirstBoot, (isFirst) => respondWithPage(isFirst ? setupPendingPage : homePage))
    )
    return
  }
  // the page names its files relative to this, so that the dashboard works below a path of a reverse proxy
  const base = `${new URL(publicUrlOf(settings)).pathname.replace(/\/+$/, "")}/`
  const page = yield* compressText(dashboard.page.replace("<base href=\"/\"", () => `<base href="${base}"`))
  const linksOf = makeLinks(dashboard.manifest, base)
  const respondWithDashboard = Effect.gen(function*() {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (yield* setup.isFirstBoot) return respondWithPage(setupPendingPage)
    const link = linksOf({
      path: request.url.split("?", 1)[0] ?? "/",
      acceptLanguage: request.headers["accept-language"] ?? "",
      hasSession: cookies.readSessionToken(request) !== undefined
    })
    return respondWithFile(page, request, "text/html; charset=utf-8", {
      "content-security-policy": policy,
      link,
      vary: "accept-encoding, accept-language, cookie"
    })
  })
  // the font by a name of its own, for the pages that the brain renders (`Html/HtmlPage.ts`)
  const font = [...dashboard.files].find(([name]) => name.startsWith("inter-latin-wght-normal-"))?.[1]
  if (font !== undefined) {
    yield* router.add(
      "GET",
      "/assets/inter.woff2",
      Effect.map(
        HttpServerRequest.HttpServerRequest,
        (request) => respondWithFile(font, request, font.contentType, { "cache-control": "public, max-age=86400" })
      )
    )
  }
  for (const path of dashboardRoutes) yield* router.add("GET", path, respondWithDashboard)
  // a person at a wrong address gets the dashboard, which says so; programs get the problem document
  yield* router.add(
    "GET",
    "*",
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (!isForPerson(request)) return yield* new HttpServerError.RouteNotFound({ request })
      const response = yield* respondWithDashboard
      return response.status === 200 ? HttpServerResponse.setStatus(response, 404) : response // else 304
    })
  )
  yield* router.add(
    "GET",
    "/assets/:file",
    Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { params } = yield* HttpRouter.RouteContext
      const file = dashboard.files.get(params.file ?? "")
      return file === undefined ? yield* fileNotFound : respondWithFile(file, request, file.contentType, immutable)
    })
  )
}))
