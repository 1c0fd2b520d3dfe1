import { FileSystem } from "@effect/platform"
import { Clock, Data, Effect } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import type { SchedulerSettingsShape } from "./Settings.ts"

/** The files of the connection do not serve. `message` is one sentence that says what to do. */
export class TlsFilesInvalid extends Data.TaggedError("TlsFilesInvalid")<{ readonly message: string }> {}

const files = [
  ["SVC_SCHEDULER_TLS_CERT", "tlsCert"],
  ["SVC_SCHEDULER_TLS_KEY", "tlsKey"],
  ["SVC_SCHEDULER_TLS_CA", "tlsCa"]
] as const

const invalid = (message: string) => new TlsFilesInvalid({ message })

const readFile = (name: string, path: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    if (path === "") {
      return yield* invalid(`${name} is not set: the connection needs a certificate, its key and the brain's authority`)
    }
    return yield* Effect.mapBoth(fs.readFile(path), {
      onFailure: () => invalid(`${name}: the file ${path} cannot be read`),
      onSuccess: (bytes) => Buffer.from(bytes)
    })
  })

/** The files as they are now, read at each connection: a renewed certificate needs no restart. */
export const readTlsFiles = (settings: SchedulerSettingsShape) =>
  Effect.gen(function*() {
    const [cert, key, ca] = yield* Effect.all([
      readFile(files[0][0], settings[files[0][1]]),
      readFile(files[1][0], settings[files[1][1]]),
      readFile(files[2][0], settings[files[2][1]])
    ])
    return { cert, key, ca, serverName: settings.tlsServerName }
  })

export type TlsFiles = Effect.Effect.Success<ReturnType<typeof readTlsFiles>>

export interface CertificateSummary {
  readonly subject: string
  /** Whole days until it expires; negative afterwards. */
  readonly daysLeft: number
}

const millisPerDay = 86_400_000

const parseCertificate = (name: string, pem: Buffer) =>
  Effect.try({ try: () => new X509Certificate(pem), catch: () => invalid(`${name} has no PEM certificate`) })

/** Checks that the files belong together and are valid now. */
export const checkTlsFiles = ({ ca, cert, key }: TlsFiles): Effect.Effect<CertificateSummary, TlsFilesInvalid> =>
  Effect.gen(function*() {
    const certificate = yield* parseCertificate(files[0][0], cert)
    const authority = yield* parseCertificate(files[2][0], ca)
    const privateKey = yield* Effect.try({
      try: () => createPrivateKey(key),
      catch: () => invalid(`${files[1][0]} has no PEM private key`)
    })
    if (!certificate.checkPrivateKey(privateKey)) {
      return yield* invalid(`${files[1][0]} is not the key of the certificate of ${files[0][0]}`)
    }
    const now = yield* Clock.currentTimeMillis
    const daysLeft = Math.floor((Date.parse(certificate.validTo) - now) / millisPerDay)
    if (Date.parse(certificate.validTo) <= now) {
      return yield* invalid(`the certificate of ${files[0][0]} has expired; issue another with svc mint-scheduler-cert`)
    }
    if (Date.parse(certificate.validFrom) > now) {
      return yield* invalid(`the certificate of ${files[0][0]} is not valid yet; check the clock of this machine`)
    }
    if (Date.parse(authority.validTo) <= now) {
      return yield* invalid(`the authority of ${files[2][0]} has expired`)
    }
    return { subject: certificate.subject.replaceAll("\n", ", "), daysLeft }
  })
