import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"
import { clientAddress, type TrustedProxies } from "../../domain/kernel/net/ClientAddress.ts"

export { parseProxies } from "../../domain/kernel/net/ClientAddress.ts"

/** The address of a request's client behind the trusted proxies. */
export const clientAddressOf = (request: HttpServerRequest.HttpServerRequest, proxies: TrustedProxies): string | null =>
  clientAddress(Option.getOrUndefined(request.remoteAddress), request.headers["x-forwarded-for"], proxies)
