import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { join } from "node:path"
import { BadRequest } from "../domain/Errors.ts"
import { normalizeHostName, parseHostHeader, isLoopbackName } from "../domain/HostName.ts"
import { Loops } from "./Loops.ts"
import { publicUrlOf } from "./PublicUrl.ts"
import { Settings, type SettingsShape } from "./Settings.ts"

/** Where `svc allowed-hosts` keeps its list: a name a line. */
export const allowedHostsFile = (home: string): string => join(home, "allowed-hosts")

/** So often the list is read again. */
export const reloadSeconds = 2

/** The names of a list, in the form that is compared; `#` begins a comment, and what is no name is left out. */
export const parseHostNames = (content: string): ReadonlyArray<string> =>
  content.split(/\r?\n/).flatMap((line) => normalizeHostName(line.replace(/#.*/, "").trim()) ?? [])

/** The list as it stands; empty where there is none. */
export const readAllowedHosts = (home: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return parseHostNames(yield* fs.readFileString(allowedHostsFile(home)))
  }).pipe(Effect.catchIf((error) => error._tag === "SystemError" && error.reason === "NotFound", () => Effect.succeed<ReadonlyArray<string>>([])))

/** What the settings say: the public address, the address that is listened on, and SVC_ALLOWED_HOSTS. */
export const configuredHostNames = (settings: Pick<SettingsShape, "allowedHosts" | "host" | "port" | "publicUrl">): ReadonlyArray<string> => {
  const url = publicUrlOf(settings)
  const publicNames = URL.canParse(url) ? [parseHostHeader(new URL(url).host)] : []
  const listenNames = ["0.0.0.0", "::"].includes(settings.host) ? [] : [normalizeHostName(settings.host)] // these stand for all
  return [...publicNames, ...listenNames, ...settings.allowedHosts.map(normalizeHostName)].filter((name) => name !== null)
}

const hostMalformed = new BadRequest({ code: "host_not_allowed", detail: "The request needs one Host header with a host name in it." })

const hostNotAllowed = (name: string) =>
  new BadRequest({
    code: "host_not_allowed",
    detail: `The brain does not answer to the name ${name}. If people should reach it there, set SVC_PUBLIC_URL or run: svc allowed-hosts add ${name}`
  })

/** A request as far as its Host header is concerned. */
export interface RequestHost {
  /** Every Host header there is. */
  readonly hosts: ReadonlyArray<string>
  /** As it stands in the request's first line. */
  readonly target: string
  /** The address that the connection came in at, where it is known. */
  readonly localAddress: string | undefined
}

/**
 * The names that the brain answers to. A page of another site that makes a browser take its own name for the brain's
 * address (DNS rebinding), or a proxy that passes on any name, gets no further than this. The port does not count:
 * proxies and published ports change it.
 */
export class AllowedHosts extends Effect.Service<AllowedHosts>()("svc/AllowedHosts", {
  scoped: Effect.gen(function*() {
    const settings = yield* Settings
    const loops = yield* Loops
    const fs = yield* FileSystem.FileSystem
    const configuredNames = configuredHostNames(settings)
    let allowedNames: ReadonlySet<string> = new Set()
    const reload = Effect.map(readAllowedHosts(settings.home), (names) => {
      allowedNames = new Set([...configuredNames, ...names])
    }).pipe(Effect.provideService(FileSystem.FileSystem, fs))
    yield* reload
    yield* loops.every("allowed hosts", `${reloadSeconds} seconds`, reload)

    /** What is wrong with where a request says it goes to; null when the brain answers to that. */
    const check = ({ hosts, localAddress, target }: RequestHost): BadRequest | null => {
      const [header] = hosts
      // a whole URL in the first line would come before the header: only a proxy is sent one
      const name = hosts.length === 1 && header !== undefined && /^[/*]/.test(target) ? parseHostHeader(header) : null
      if (name === null) return hostMalformed
      const isAllowed = allowedNames.has(name) || isLoopbackName(name) || (localAddress !== undefined && name === normalizeHostName(localAddress))
      return isAllowed ? null : hostNotAllowed(name)
    }

    return { check } as const
  })
}) {
  static readonly layer = this.Default
}
