import { Effect, type Scope } from "effect"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { debianProgram } from "../../debianProgram.ts"
import { freePort } from "../../ports.ts"
import { until } from "../../until.ts"
import { startProgram } from "../childProgram.ts"
import { selfSigned } from "../tls.ts"
import { tlsTunnel } from "./tlsTunnel.ts"

const deploy = join(import.meta.dirname, "../../../deploy")

export interface Proxy {
  /** A plain address whose connections reach the proxy over TLS. */
  readonly url: string
  readonly httpPort: number
  readonly httpsPort: number
  readonly ca: string
  readonly log: () => string
}

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-proxy-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Replaces each text, which the configuration must have exactly once, so that the rest is tested as it is shipped. */
const replaceOnce = (text: string, replacements: ReadonlyArray<readonly [string, string]>) =>
  replacements.reduce((text, [from, to]) => {
    const [before, after, ...more] = text.split(from)
    if (before === undefined || after === undefined || more.length > 0) throw new Error(`not exactly one "${from}"`)
    return before + to + after
  }, text)

/** Reads the file as soon as the program has written it. */
const whenWritten = (file: string, log: () => string) =>
  until(
    Effect.sync(() => {
      try {
        return readFileSync(file, "utf8")
      } catch {
        return ""
      }
    }),
    (text) => text !== "",
    "20 seconds"
  ).pipe(Effect.tapError(() => Effect.logError(log())), Effect.orDie)

const nginx = (...brainUrls: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { env, path } = yield* Effect.promise(() => debianProgram("nginx"))
    const folder = yield* temporaryFolder
    const { cert, key } = yield* selfSigned
    const [httpPort, httpsPort] = [yield* freePort, yield* freePort]
    const site = replaceOnce(readFileSync(join(deploy, "nginx/svc.conf"), "utf8").replace(/^#.*$/gm, ""), [
      [
        "    server 127.0.0.1:7700 ",
        brainUrls.map((brainUrl) => `    server ${new URL(brainUrl).host} `).join("max_fails=0;\n")
      ],
      ["    listen 80;", `    listen 127.0.0.1:${httpPort};`],
      ["    listen [::]:80;", ""],
      ["    listen 443 ssl http2;", `    listen 127.0.0.1:${httpsPort} ssl http2;`],
      ["    listen [::]:443 ssl http2;", ""],
      ["/etc/ssl/svc/fullchain.pem", cert],
      ["/etc/ssl/svc/privkey.pem", key]
    ]).replaceAll("server_name svc.example.com;", "server_name localhost;")
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${folder}/${name};`)
    const root = process.getuid?.() === 0 ? ["user root;"] : []
    writeFileSync(
      join(folder, "nginx.conf"),
      [
        ...root,
        "daemon off;",
        "worker_processes 1;",
        `pid ${folder}/pid;`,
        "error_log stderr warn;",
        "events { worker_connections 1024; }",
        `http { access_log off; ${temporary.join(" ")}`,
        site,
        "}"
      ].join("\n")
    )
    const { log } = yield* startProgram(path, ["-e", "stderr", "-p", folder, "-c", join(folder, "nginx.conf")], { env })
    yield* whenWritten(join(folder, "pid"), log)
    return { httpPort, httpsPort, authority: Effect.sync(() => readFileSync(cert, "utf8")), log }
  })

/** Caddy with this file and these variables, which the file's placeholders name; its data is in the folder. */
const runCaddy = (folder: string, file: string, variables: Readonly<Record<string, string>>) =>
  Effect.gen(function*() {
    const { env, path } = yield* Effect.promise(() => debianProgram("caddy"))
    mkdirSync(join(folder, "data"))
    return yield* startProgram(path, ["run", "--config", file, "--adapter", "caddyfile"], {
      env: { ...env, HOME: folder, XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: folder, ...variables }
    })
  })

const caddy = (brainUrl: string) =>
  Effect.gen(function*() {
    const folder = yield* temporaryFolder
    const [httpPort, httpsPort] = [yield* freePort, yield* freePort]
    writeFileSync(
      join(folder, "Caddyfile"),
      `{
        admin off
        default_bind 127.0.0.1
        http_port ${httpPort}
        https_port ${httpsPort}
        local_certs
        skip_install_trust
        grace_period 1s
      }
      import ${join(deploy, "caddy/Caddyfile")}\n`
    )
    const { log } = yield* runCaddy(folder, join(folder, "Caddyfile"), {
      SVC_SITE: "localhost",
      SVC_UPSTREAM: new URL(brainUrl).host
    })
    const root = join(folder, "data/caddy/pki/authorities/local/root.crt")
    return { httpPort, httpsPort, authority: whenWritten(root, log), log }
  })

const programs = { nginx, caddy }

export type ProxyName = keyof typeof programs

const waitForResponse = (url: string, log: () => string) => {
  const status = Effect.promise(() => fetch(`${url}/health`).then((response) => response.status, () => 0))
  return until(status, (status) => status === 200, "20 seconds").pipe(
    Effect.tapError(() => Effect.logError(log())),
    Effect.orDie
  )
}

/** The proxy with the shipped configuration in front of the brain, ready; ended with the scope. */
export const startProxy = (name: ProxyName, brainUrl: string): Effect.Effect<Proxy, never, Scope.Scope> =>
  ready(programs[name](brainUrl))

const ready = (program: ReturnType<typeof nginx> | ReturnType<typeof caddy>) =>
  Effect.gen(function*() {
    const { authority, httpPort, httpsPort, log } = yield* program
    const { ca, url } = yield* tlsTunnel(httpsPort, authority)
    yield* waitForResponse(url, log)
    return { url, httpPort, httpsPort, ca, log }
  })

/** nginx with the shipped file before these replicas; ended with the scope. */
const startNginxOf = (brainUrls: ReadonlyArray<string>) => ready(nginx(...brainUrls))

/** Caddy with the file that postgres.yaml of Compose mounts, before these replicas; ended with the scope. */
const startComposeProxy = (brainUrls: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const url = `http://localhost:${yield* freePort}`
    const { log } = yield* runCaddy(yield* temporaryFolder, join(deploy, "compose/Caddyfile"), {
      SVC_SITE: url,
      SVC_UPSTREAMS: brainUrls.map((brainUrl) => new URL(brainUrl).host).join(" ")
    })
    yield* waitForResponse(url, log)
    return { url, log }
  })

/** What proxies several replicas, by the name of the shipped file. */
export const proxiesOfReplicas = {
  "the Caddyfile of Compose": startComposeProxy,
  "the file of nginx": startNginxOf
}
