import { Effect, type Scope } from "effect"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export interface Published {
  readonly name: string
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  /** A packed package, as `npm pack` writes it. */
  readonly tarball?: string
}

export interface Registry {
  readonly url: string
  /** What the registry has; later ones are newer. */
  published: Array<Published>
  /** A body to answer instead of every package document. */
  hostile: string | null
  readonly requests: Array<{ readonly path: string; readonly headers: Readonly<Record<string, unknown>> }>
}

/** An npm registry on loopback with what npm's client asks of one to view and to install: package documents and tarballs. */
export const makeRegistry: Effect.Effect<Registry, never, Scope.Scope> = Effect.gen(function*() {
  const registry: { -readonly [Key in keyof Registry]: Registry[Key] } = {
    url: "",
    published: [],
    hostile: null,
    requests: []
  }
  const documentOf = (name: string) => {
    const found = registry.published.filter((one) => one.name === name)
    const versions = found.map((one) => {
      const bytes = one.tarball === undefined ? Buffer.alloc(0) : readFileSync(one.tarball)
      const dist = {
        tarball: `${registry.url}tarballs/${name}-${one.version}.tgz`,
        shasum: createHash("sha1").update(bytes).digest("hex"),
        integrity: `sha512-${createHash("sha512").update(bytes).digest("base64")}`
      }
      return [one.version, {
        name,
        version: one.version,
        ...(one.bin !== undefined && { bin: one.bin }),
        dist
      }] as const
    })
    return { name, "dist-tags": { latest: found.at(-1)?.version }, versions: Object.fromEntries(versions) }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    registry.requests.push({ path, headers: request.headers })
    const tarball = registry.published.find(({ name, version }) => path === `/tarballs/${name}-${version}.tgz`)?.tarball
    if (tarball !== undefined) return void response.end(readFileSync(tarball))
    const name = decodeURIComponent(path.slice(1).split("?")[0] ?? "")
    if (registry.hostile !== null) return void response.end(registry.hostile)
    if (!registry.published.some((one) => one.name === name)) {
      return void response.writeHead(404, { "content-type": "application/json" }).end("{\"error\":\"not_found\"}")
    }
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(documentOf(name)))
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const { port } = server.address() as AddressInfo // it listens on a port
  registry.url = `http://127.0.0.1:${port}/`
  return registry
})

/** npm's own configuration by environment: this registry, one attempt, and a cache of its own. */
export const npmEnvironment = (registry: { readonly url: string }, home: string): Readonly<Record<string, string>> => ({
  HOME: home,
  npm_config_registry: registry.url,
  npm_config_fetch_retries: "0",
  npm_config_cache: `${home}/npm-cache`
})
