import { FileSystem } from "@effect/platform"
import { Server, ServerCredentials } from "@grpc/grpc-js"
import { Data, Effect, FiberSet } from "effect"
import { createPrivateKey, X509Certificate } from "node:crypto"
import type { AddressInfo, Socket } from "node:net"
import { createServer, type Server as TlsServer, type TLSSocket } from "node:tls"
import { SchedulerLeaseService } from "../../proto/generated/lease.ts"
import { SchedulerServiceService } from "../../proto/generated/scheduler.ts"
import { Id } from "../domain/kernel/Id.ts"
import * as Timestamp from "../domain/kernel/Timestamp.ts"
import { Loops } from "../services/kernel/concurrency/Loops.ts"
import { Settings } from "../services/kernel/Settings.ts"
import { type SchedulerConnection, SchedulerPrograms } from "../services/schedules/SchedulerPrograms.ts"
import { makeLeaseService } from "./LeaseService.ts"
import { type Peer, Peers } from "./Peers.ts"
import { describeHandshake, Refusals } from "./Refusals.ts"
import { makeSchedulerService } from "./SchedulerService.ts"

interface Pem {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** The listener for schedulers cannot start. */
export class SchedulerListenerFailed
  extends Data.TaggedError("SchedulerListenerFailed")<{ readonly message: string }>
{}

/** A client that has not finished the TLS handshake by then is disconnected. */
const handshakeMillis = 10_000

/** Connections in all, and of one address. A scheduler needs one; the rest is for restarts and several schedulers. */
const maxConnections = 256
const maxPerAddress = 32

/** What a scheduler sends and receives in one message (the agents' protocol, section 7). */
const maxMessageBytes = 1024 * 1024

const options = {
  "grpc.max_receive_message_length": maxMessageBytes,
  "grpc.max_send_message_length": maxMessageBytes,
  "grpc.max_concurrent_streams": 100,
  "grpc.keepalive_time_ms": 30_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.enable_channelz": 0
}

/** Calls get this time at the end. */
const drainMillis = 2000

/** How often the database learns which programs call. */
const reportPause = "2 seconds"

const rowOf = ({ calledAt, connectedAt, firedAt, id, instance, name }: Peer): SchedulerConnection => ({
  id: Id.make(id, { disableValidation: true }),
  name,
  instance,
  connected_at: Timestamp.fromEpochMillis(connectedAt),
  called_at: Timestamp.fromEpochMillis(calledAt),
  fired_at: firedAt === null ? null : Timestamp.fromEpochMillis(firedAt)
})

const addressOf = (socket: Socket): string => `${socket.remoteAddress}:${socket.remotePort}`

const ignoreError = (): void => {}

/** The PEM texts of the settings' files. */
const readPem = Effect.gen(function*() {
  const settings = yield* Settings
  const fs = yield* FileSystem.FileSystem
  const read = (name: string, path: string) =>
    path === ""
      ? new SchedulerListenerFailed({ message: `SVC_SCHEDULER_GRPC_BIND is set, so ${name} must name a PEM file.` })
      : Effect.mapError(
        fs.readFileString(path),
        () => new SchedulerListenerFailed({ message: `The file ${path} of ${name} cannot be read.` })
      )
  return {
    cert: yield* read("SVC_SCHEDULER_GRPC_TLS_CERT", settings.schedulerGrpcTlsCert),
    key: yield* read("SVC_SCHEDULER_GRPC_TLS_KEY", settings.schedulerGrpcTlsKey),
    ca: yield* read("SVC_SCHEDULER_GRPC_TLS_CA", settings.schedulerGrpcTlsCa)
  }
})

/** Throws where a text is not PEM: Node.js takes an empty text for none, and would trust all public authorities. */
const checkPem = ({ ca, cert, key }: Pem): Pem => {
  const certificate = new X509Certificate(cert)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error("the key is not that of the certificate")
  void new X509Certificate(ca)
  return { cert, key, ca }
}

const createTlsServer = (pem: Pem, onConnection: (socket: TLSSocket) => void) =>
  Effect.try({
    try: () =>
      createServer({
        ...checkPem(pem),
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: "TLSv1.2",
        ALPNProtocols: ["h2"],
        handshakeTimeout: handshakeMillis
      }, onConnection),
    catch: () =>
      new SchedulerListenerFailed({
        message:
          "The certificate, key or authority of SVC_SCHEDULER_GRPC_TLS_CERT, _KEY and _CA is not PEM, or they do not belong together."
      })
  })

const bind = (server: TlsServer, host: string, port: number) =>
  Effect.acquireRelease(
    Effect.async<void, SchedulerListenerFailed>((resume) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(
          new SchedulerListenerFailed({ message: `Schedulers cannot be served at ${host}:${port}: ${error.code}.` })
        ))
      server.listen(port, host, () => resume(Effect.void))
    }),
    () => Effect.sync(() => void server.close())
  )

const acquireGrpcServer = Effect.acquireRelease(
  Effect.sync(() => new Server(options)),
  (server) =>
    Effect.async<void>((resume) => server.tryShutdown(() => resume(Effect.void))).pipe(
      Effect.interruptible,
      Effect.timeout(drainMillis),
      Effect.ignore,
      Effect.ensuring(Effect.sync(() => server.forceShutdown()))
    )
)

/** Counts the connections of each address; false for one too many. */
const makeAddressLimit = () => {
  const perAddress = new Map<string, number>()
  return (socket: Socket): boolean => {
    const address = socket.remoteAddress ?? ""
    const count = (perAddress.get(address) ?? 0) + 1
    if (count > maxPerAddress) return false
    perAddress.set(address, count)
    socket.once("close", () => {
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
    })
    return true
  }
}

const commonNameOf = (socket: TLSSocket): string => {
  const { subject } = socket.getPeerCertificate()
  return typeof subject?.CN === "string" ? subject.CN : ""
}

/** Why a client with this common name is not served; null: it is. No `allowed` name: any is. */
const refusalOf = (socket: TLSSocket, name: string, allowed: ReadonlyArray<string>): string | null => {
  if (!socket.authorized) return "its certificate is not valid"
  if (socket.alpnProtocol !== "h2") return "it does not speak HTTP/2"
  if (name === "") return "its certificate has no common name"
  if (allowed.length === 0 || allowed.includes(name)) return null
  return `the certificate name ${JSON.stringify(name.slice(0, 64))} is not in SVC_SCHEDULER_GRPC_ALLOWED_NAMES`
}

/**
 * Serves scheduler programs on a port of its own. TLS ends here and not in grpc-js, so that each refused handshake has
 * its cause, and clients that never finish one are limited. Returns the port.
 */
export const listen = Effect.gen(function*() {
  const settings = yield* Settings
  const clock = yield* Effect.clock
  const fork = yield* FiberSet.makeRuntime<never>()
  const refusals = new Refusals(() => clock.unsafeCurrentTimeMillis())
  const peers = new Peers(() => clock.unsafeCurrentTimeMillis())
  const programs = yield* SchedulerPrograms
  const loops = yield* Loops
  const pem = yield* readPem

  const grpc = yield* acquireGrpcServer
  grpc.addService(SchedulerServiceService, yield* makeSchedulerService(peers))
  grpc.addService(SchedulerLeaseService, yield* makeLeaseService(peers))
  yield* loops.every(
    "scheduler programs",
    reportPause,
    Effect.suspend(() => programs.report(peers.list().map(rowOf), peers.takeEnded()))
  )
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure()) // TLS is already taken off

  const refuse = (address: string | undefined, cause: string) => {
    const line = refusals.report(address ?? "an address that has left", cause)
    if (line !== null) fork(Effect.logWarning(line))
  }

  const takeAddress = makeAddressLimit()

  const accept = (socket: TLSSocket) => {
    socket.on("error", ignoreError) // its `close` follows; an `error` without a listener ends the process
    const name = commonNameOf(socket)
    const refusal = refusalOf(socket, name, settings.schedulerGrpcAllowedNames)
    if (refusal !== null) {
      refuse(socket.remoteAddress, refusal)
      socket.destroy()
      return
    }
    const address = addressOf(socket)
    socket.once("close", peers.add(address, name))
    injector.injectConnection(socket)
  }

  const server = yield* createTlsServer(pem, accept)
  server.maxConnections = maxConnections
  server.on("connection", (socket: Socket) => {
    socket.on("error", ignoreError)
    if (takeAddress(socket)) return
    refuse(socket.remoteAddress, `it has more than ${maxPerAddress} connections`)
    socket.destroy()
  })
  server.on("drop", (from) => refuse(from?.remoteAddress, `there are ${maxConnections} connections already`))
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    // Node's types call the code of a refused certificate an Error
    const code = String(socket.authorizationError ?? error.code ?? "")
    // probes of a load balancer connect and leave
    if (code !== "ECONNRESET") refuse(socket.remoteAddress, describeHandshake(code))
    socket.destroy()
  })

  yield* bind(server, settings.schedulerGrpcBind, settings.schedulerGrpcPort)
  server.on("error", (error) => fork(Effect.logError("the listener for schedulers failed", error)))
  // listening on TCP, so the address is not a pipe's name
  const { port } = server.address() as AddressInfo
  yield* Effect.logInfo(`schedulers are served over gRPC at ${settings.schedulerGrpcBind}:${port}`)
  return port
})
