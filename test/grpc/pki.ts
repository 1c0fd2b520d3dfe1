import { Effect } from "effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  createAuthority,
  issueCertificate,
  type Pair,
  readAuthority
} from "../../src/cli/operations/SchedulerCertificates.ts"

const day = 86_400_000

/** Files of a certificate and its key. */
export interface Files {
  readonly cert: string
  readonly key: string
}

/** A folder with an authority, the brain's certificate for 127.0.0.1, and as many certificates of schedulers as needed. */
export const makePki = Effect.gen(function*() {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-pki-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const now = Date.now()
  const write = (name: string, { certificate, key }: Pair): Files => {
    const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}-key.pem`) }
    writeFileSync(files.cert, certificate)
    writeFileSync(files.key, key)
    return files
  }
  const make = (name: string) =>
    Effect.promise(async () => {
      const pair = await createAuthority(now)
      const authority = await readAuthority(pair)
      const issue = (who: string, hosts: ReadonlyArray<string>, age: number) =>
        Effect.promise(async () =>
          write(
            [name, who, ...hosts].join("-"),
            await issueCertificate(authority, { name: who, hosts, days: 1 }, now - age * day)
          )
        )
      return {
        ...write(name, pair),
        /** The certificate of a scheduler that was issued so many days ago, for one day. */
        client: (who: string, age = 0) => issue(who, [], age),
        server: (...hosts: ReadonlyArray<string>) => issue("brain", hosts, 0),
        expiredServer: (...hosts: ReadonlyArray<string>) => issue("expired", hosts, 2)
      }
    })
  const authority = yield* make("ca")
  const brain = yield* authority.server("127.0.0.1", "localhost")
  return {
    authority,
    otherAuthority: yield* make("other-ca"),
    brain,
    settings: (port: number) => ({
      schedulerGrpcBind: "127.0.0.1",
      schedulerGrpcPort: port,
      schedulerGrpcTlsCert: brain.cert,
      schedulerGrpcTlsKey: brain.key,
      schedulerGrpcTlsCa: authority.cert
    })
  }
})

export type Pki = Effect.Effect.Success<typeof makePki>
