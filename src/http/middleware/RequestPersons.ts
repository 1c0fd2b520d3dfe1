import type { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import type { RequestSource } from "../../domain/kernel/Actor.ts"
import { isStorable } from "../../domain/kernel/Text.ts"
import { Authentication } from "../../services/identity/Authentication.ts"
import type { Browser } from "../../services/identity/Sessions/Creation.ts"
import { Settings } from "../../services/kernel/Settings.ts"
import { Cookies } from "./Cookies.ts"
import { clientAddressOf, parseProxies } from "./RequestAddress.ts"

/** Who sends a request: its address, and the person of its API key or session. `isUse`: it counts as a use of that. */
export const makeRequestPersons = Effect.gen(function*() {
  const authentication = yield* Authentication
  const cookies = yield* Cookies
  const { trustedProxies } = yield* Settings
  const proxies = parseProxies(trustedProxies)

  const addressOf = (request: HttpServerRequest.HttpServerRequest) => clientAddressOf(request, proxies)

  const sourceOf = (request: HttpServerRequest.HttpServerRequest): RequestSource => ({
    source_ip: addressOf(request),
    user_agent: request.headers["user-agent"]?.slice(0, 500) ?? null
  })

  /** What a sign-in by the request is told of its browser. */
  const browserOf = (request: HttpServerRequest.HttpServerRequest): Browser => ({
    source: sourceOf(request),
    token: cookies.readSessionToken(request),
    device: cookies.readDeviceToken(request)
  })

  const findSession = (request: HttpServerRequest.HttpServerRequest, isUse: boolean, slug: string | null) => {
    const token = cookies.readSessionToken(request)
    return token === undefined
      ? Effect.succeedNone
      : authentication.findBySession(token, sourceOf(request), isUse, slug)
  }

  /** The person, and the project of the path. */
  const findPerson = (request: HttpServerRequest.HttpServerRequest, isUse: boolean, slug: string | undefined) => {
    // a slug that PostgreSQL cannot bind names no project
    const storableSlug = slug !== undefined && isStorable(slug) ? slug : null
    const header = request.headers["authorization"] ?? ""
    // another scheme is for a proxy in front of the brain; browsers repeat it
    if (!/^bearer\b/i.test(header)) return findSession(request, isUse, storableSlug)
    const token = /^bearer\s+(svk_\S{1,200})$/i.exec(header)?.[1]
    return token === undefined
      ? Effect.succeedNone
      : authentication.findByApiKey(token, sourceOf(request), isUse, storableSlug)
  }

  return { addressOf, sourceOf, browserOf, findSession, findPerson } as const
})
