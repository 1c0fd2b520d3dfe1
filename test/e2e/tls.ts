import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer } from "node:tls"
import { portOf } from "../ports.ts"

/** The files of a certificate for localhost and 127.0.0.1 that is signed by itself, and its key. */
export const selfSigned = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-tls-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const files = { key: join(folder, "key.pem"), cert: join(folder, "cert.pem") }
  const options = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
  const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
  execFileSync("openssl", [...options, ...names, "-keyout", files.key, "-out", files.cert], { stdio: "ignore" })
  return files
})

/**
 * A TLS proxy in front of the brain at `target`, as people run one, with a certificate of its own: the published
 * agents refuse long-poll over plain http, on loopback too.
 */
export const tlsProxy = (target: string) =>
  Effect.gen(function*() {
    const { cert, key } = yield* selfSigned
    const { hostname, port } = new URL(target)
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (client) => {
      const brain = connect({ host: hostname, port: Number(port) })
      client.pipe(brain).pipe(client)
      client.on("error", () => brain.destroy())
      brain.on("error", () => client.destroy())
    })
    return { url: `https://localhost:${yield* portOf(server)}`, cert }
  })
