import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { join } from "node:path"
import { BadRequest } from "../../domain/kernel/Errors.ts"
import { isLoopbackName, normalizeHostName, parseHostHeader } from "../../domain/kernel/net/HostName.ts"
import { Loops } from "./concurrency/Loops.ts"
import { publicUrlOf } from "./PublicUrl.ts"
import { Settings, type SettingsShape } from "./Settings.ts"

/** The file of `svc allowed-hosts`: one name per line. */
export const allowedHostsFile = (home: string): string => join(home, "allowed-hosts")

/** How often the list is read again. */
export const reloadSeconds = 2

/** The normalized names of a list. `#` begins a comment; lines that are not host names are skipped. */
export const parseHostNames = (content: string): ReadonlyArray<string> =>
  content.split(/\r?\n/).flatMap((line) => normalizeHostName(line.replace(/#.*/, "").trim()) ?? [])

/** The current list; empty when the file does not exist. */
export const readAllowedHosts = (home: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return parseHostNames(yield* fs.readFileString(allowedHostsFile(home)))
  }).pipe(Effect.catchIf((error) =>
    error._tag === "SystemError" && error.reason === "NotFound", () =>
    Effect.succeed<ReadonlyArray<string>>([])))

/** The names from the settings: the public address, the listening address, and SVC_ALLOWED_HOSTS. */
export const configuredHostNames = (
  settings: Pick<SettingsShape, "allowedHosts" | "host" | "port" | "publicUrl">
): ReadonlyArray<string> => {
  const url = publicUrlOf(settings)
  const publicNames = URL.canParse(url) ? [parseHostHeader(new URL(url).host)] : []
  const listenNames = ["0.0.0.0", "::"].includes(settings.host) ? [] : [normalizeHostName(settings.host)] // wildcards
  return [...publicNames, ...listenNames, ...settings.allowedHosts.map(normalizeHostName)].filter((name) =>
    name !== null
  )
}

const hostMalformed = new BadRequest({
  code: "host_not_allowed",
  detail: "The request needs one Host header with a host name in it."
})

const hostNotAllowed = (name: string) =>
  new BadRequest({
    code: "host_not_allowed",
    detail:
      `The brain does not answer to the name ${name}. If people should reach it there, set SVC_PUBLIC_URL or run: svc allowed-hosts add ${name}`
  })

/** The parts of a request that name its host. */
export interface RequestHost {
  /** All Host headers of the request. */
  readonly hosts: ReadonlyArray<string>
  /** The target of the request line. */
  readonly target: string
  /** The local address of the connection, where it is known. */
  readonly localAddress: string | undefined
}

/**
 * The host names that the brain accepts. The check stops DNS rebinding (a foreign page whose own name resolves to
 * the brain's address) and proxies that forward any name. The port is ignored: proxies and published ports change it.
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

    /** Why the request's host is refused; null when the brain accepts it. */
    const check = ({ hosts, localAddress, target }: RequestHost): BadRequest | null => {
      const [header] = hosts
      // an absolute URL in the request line would override the header, and only proxies receive one
      const name = hosts.length === 1 && header !== undefined && /^[/*]/.test(target) ? parseHostHeader(header) : null
      if (name === null) return hostMalformed
      const isAllowed = allowedNames.has(name) || isLoopbackName(name) ||
        (localAddress !== undefined && name === normalizeHostName(localAddress))
      return isAllowed ? null : hostNotAllowed(name)
    }

    return { check } as const
  })
}) {
  static readonly layer = this.Default
}
