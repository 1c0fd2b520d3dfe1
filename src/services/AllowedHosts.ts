import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { join } from "node:path"
import { BadRequest } from "../domain/Errors.ts"
import { hostNameOf, hostOf, isLoopbackName } from "../domain/HostName.ts"
import { Loops } from "./Loops.ts"
import { publicUrlOf } from "./PublicUrl.ts"
import { Settings, type SettingsShape } from "./Settings.ts"

/** Where `svc allowed-hosts` keeps its list: a name a line. */
export const allowedHostsFile = (home: string): string => join(home, "allowed-hosts")

/** So often the list is read again. */
export const rereadSeconds = 2

/** The names of a list, in the form that is compared; `#` begins a comment, and what is no name is left out. */
export const namesIn = (content: string): ReadonlyArray<string> =>
  content.split(/\r?\n/).flatMap((line) => hostNameOf(line.replace(/#.*/, "").trim()) ?? [])

/** The list as it stands; empty where there is none. */
export const readAllowedHosts = (home: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    return namesIn(yield* fs.readFileString(allowedHostsFile(home)))
  }).pipe(Effect.catchIf((error) => error._tag === "SystemError" && error.reason === "NotFound", () => Effect.succeed<ReadonlyArray<string>>([])))

/** What the settings say: the public address, the address that is listened on, and SVC_ALLOWED_HOSTS. */
export const namesOfSettings = (settings: Pick<SettingsShape, "allowedHosts" | "host" | "port" | "publicUrl">): ReadonlyArray<string> => {
  const url = publicUrlOf(settings)
  const named = URL.canParse(url) ? [hostOf(new URL(url).host)] : []
  const listening = ["0.0.0.0", "::"].includes(settings.host) ? [] : [hostNameOf(settings.host)] // these stand for all
  return [...named, ...listening, ...settings.allowedHosts.map(hostNameOf)].filter((name) => name !== null)
}

const malformed = new BadRequest({ code: "host_not_allowed", detail: "The request needs one Host header with a host name in it." })

const unknown = (name: string) =>
  new BadRequest({
    code: "host_not_allowed",
    detail: `The brain does not answer to the name ${name}. If people should reach it there, set SVC_PUBLIC_URL or run: svc allowed-hosts add ${name}`
  })

/** A request as far as its Host header is concerned. */
export interface Addressed {
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
    const fixed = namesOfSettings(settings)
    let known: ReadonlySet<string> = new Set()
    const reread = Effect.map(readAllowedHosts(settings.home), (names) => {
      known = new Set([...fixed, ...names])
    }).pipe(Effect.provideService(FileSystem.FileSystem, fs))
    yield* reread
    yield* loops.every("allowed hosts", `${rereadSeconds} seconds`, reread)

    /** What is wrong with where a request says it goes to; null when the brain answers to that. */
    const refusal = ({ hosts, localAddress, target }: Addressed): BadRequest | null => {
      const [header] = hosts
      // a whole URL in the first line would come before the header: only a proxy is sent one
      const name = hosts.length === 1 && header !== undefined && /^[/*]/.test(target) ? hostOf(header) : null
      if (name === null) return malformed
      const isOurs = known.has(name) || isLoopbackName(name) || (localAddress !== undefined && name === hostNameOf(localAddress))
      return isOurs ? null : unknown(name)
    }

    return { refusal } as const
  })
}) {
  static readonly layer = this.Default
}
