import { FileSystem } from "@effect/platform"
import { Clock, Console, Effect } from "effect"
import { dirname, join, resolve } from "node:path"
import { isHostName } from "../../../domain/kernel/net/HostName.ts"
import { CliError } from "../../program/Explain.ts"
import type { HandlersOf, OptionsOf } from "../../program/Group.ts"
import type { definitions } from "../certificates.ts"
import { createAuthority, issueCertificate, type Pair, readAuthority } from "../SchedulerCertificates.ts"

type MintOptions = OptionsOf<(typeof definitions)["mint-scheduler-cert"]>

/** Part of file names, and 64 is the most that X.509 allows for a common name. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const maxDays = 3650

const usage = (message: string) => new CliError({ usage: true, message })

/** The files that this run has created, which a failure deletes again. */
type Created = Array<string>

/** Creates a file that only its owner may read. An existing file stays: a program may use it. */
const writeNew = (path: string, text: string, created: Created) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    yield* fs.makeDirectory(dirname(path), { recursive: true, mode: 0o700 })
    yield* fs.writeFileString(path, "", { flag: "wx", mode: 0o600 })
    created.push(path)
    yield* fs.writeFileString(path, text)
  })

const writePair = ({ certificate, key }: Pair, certificatePath: string, keyPath: string, created: Created) =>
  Effect.zipRight(writeNew(keyPath, key, created), writeNew(certificatePath, certificate, created))

/** A forgotten private key would stay readable, and the next run would find half a pair. */
const removeAll = (created: Created) =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (fs) =>
      Effect.forEach(created, (path) =>
        Effect.catchAll(fs.remove(path, { force: true }), ({ message }) =>
          Console.error(`${path} was created and could not be deleted: ${message}`)), { discard: true })
  )

const readPair = Effect.fnUntraced(function*(caCert: string, caKey: string) {
  const fs = yield* FileSystem.FileSystem
  const [certificate, key] = yield* Effect.all([fs.readFileString(caCert), fs.readFileString(caKey)])
  return { certificate, key } satisfies Pair
})

/** Reads the authority, or creates it where neither of its files exists. */
const takeAuthority = Effect.fnUntraced(function*({ caCert, caKey }: MintOptions, now: number, created: Created) {
  const fs = yield* FileSystem.FileSystem
  const [hasCert, hasKey] = yield* Effect.all([fs.exists(caCert), fs.exists(caKey)])
  if (hasCert !== hasKey) {
    const [here, missing] = hasCert ? [caCert, caKey] : [caKey, caCert]
    return yield* new CliError({
      message: `${here} exists, but ${missing} does not. Name both files of an authority, or two that do not exist.`
    })
  }
  if (!hasCert) {
    yield* writePair(yield* Effect.promise(() => createAuthority(now)), caCert, caKey, created)
    yield* Console.log(`created the authority ${caCert} with its key ${caKey}`)
  }
  const pair = yield* readPair(caCert, caKey)
  return yield* Effect.tryPromise({
    try: () => readAuthority(pair),
    catch: () =>
      new CliError({
        message:
          `${caCert} and ${caKey} are not an authority's certificate and its key (PEM, ECDSA P-256, PKCS #8 without a password).`
      })
  })
})

const millisPerDay = 86_400_000

/** Programs would refuse such a certificate from the end of the authority on, with no word of that. */
const requireValidFor = (days: number, caCert: string, notAfter: Date, now: number) => {
  const left = Math.floor((notAfter.getTime() - now) / millisPerDay)
  const end = notAfter.toISOString().slice(0, 10)
  if (days <= left) return Effect.void
  return left < 1
    ? new CliError({
      message: `The authority ${caCert} ${
        notAfter.getTime() <= now ? "has expired" : "expires within a day"
      }. Create another one: name two files that do not exist.`
    })
    : usage(`--days must be at most ${left}: the authority ${caCert} expires on ${end}`)
}

const readHosts = (text: string): ReadonlyArray<string> =>
  text.split(",").map((host) => host.trim()).filter((host) => host !== "")

const mint = Effect.fnUntraced(function*(options: MintOptions, created: Created) {
  const { caCert, days, name, outDir, serverHosts } = options
  const hosts = readHosts(serverHosts)
  const invalidHost = hosts.find((host) => !isHostName(host))
  if (!namePattern.test(name)) {
    return yield* usage(
      "--name must have 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit"
    )
  }
  if (invalidHost !== undefined) {
    return yield* usage(`--server-hosts has "${invalidHost}", which is not a host name or address`)
  }
  if (days < 1 || days > maxDays) return yield* usage(`--days must be from 1 to ${maxDays}`)
  const now = yield* Clock.currentTimeMillis
  const authority = yield* takeAuthority(options, now, created)
  yield* requireValidFor(days, caCert, authority.certificate.notAfter, now)
  const fs = yield* FileSystem.FileSystem
  const [certificatePath, keyPath] = [join(outDir, `${name}.pem`), join(outDir, `${name}-key.pem`)]
  for (const path of [certificatePath, keyPath]) {
    if (yield* fs.exists(path)) {
      return yield* new CliError({
        message: `${path} exists already. Choose another --out-dir or --name, or move it away.`
      })
    }
  }
  const pair = yield* Effect.promise(() => issueCertificate(authority, { name, hosts, days }, now))
  yield* writePair(pair, certificatePath, keyPath, created)
  const prefix = hosts.length > 0 ? "SVC_SCHEDULER_GRPC" : "SVC_SCHEDULER"
  yield* Console.log([
    `${prefix}_TLS_CERT=${resolve(certificatePath)}`,
    `${prefix}_TLS_KEY=${resolve(keyPath)}`,
    `${prefix}_TLS_CA=${resolve(caCert)}`
  ].join("\n"))
})

export const handlers: HandlersOf<typeof definitions> = {
  "mint-scheduler-cert": (options) =>
    Effect.suspend(() => {
      const created: Created = []
      return Effect.onError(mint(options, created), () => removeAll(created))
    })
}
