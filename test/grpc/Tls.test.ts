import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { SchedulerServiceClient, SchedulerServiceService } from "../../proto/generated/scheduler.ts"
import { serverOn } from "../brain.ts"
import { until } from "../until.ts"
import { callUnary, connect, credentialsOf, Port, schedulersOn } from "./client.ts"
import { type Files, makePki } from "./pki.ts"

const lines: Array<string> = []
const recorder = Logger.replace(Logger.defaultLogger, Logger.make(({ message }) => void lines.push(String(message))))
const refusals = () => lines.filter((line) => line.includes("was refused"))

const clientOf = (files: Files, ca?: string) =>
  Effect.flatMap(Port, ({ pki, port }) =>
    Effect.acquireRelease(
      Effect.sync(() =>
        new SchedulerServiceClient(`127.0.0.1:${port}`, credentialsOf(ca ?? pki.authority.cert, files), {
          "grpc.use_local_subchannel_pool": 1
        })
      ),
      (client) => Effect.sync(() => client.close())
    ))

const ping = (client: SchedulerServiceClient) => callUnary(client, SchedulerServiceService.ping, {})

/** A connection, and whether the brain has closed it. */
const openTcp = (port: number, write?: string | Buffer) =>
  Effect.acquireRelease(
    Effect.async<{ readonly socket: Socket; readonly isClosed: () => boolean }>((resume) => {
      let closed = false
      const socket = connectTcp({ host: "127.0.0.1", port }, () => {
        if (write !== undefined) socket.write(write)
        resume(Effect.succeed({ socket, isClosed: () => closed }))
      })
      socket.on("error", () => {})
      socket.on("close", () => (closed = true))
      socket.resume()
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

describe("files that are not certificates", () => {
  it.scopedLive(
    "no brain starts with them: without an authority Node.js would trust all public ones",
    () =>
      Effect.gen(function*() {
        const { brain, ...pki } = yield* makePki
        const write = (name: string, text: string) => {
          const file = `${pki.authority.cert}.${name}`
          writeFileSync(file, text)
          return file
        }
        const { key: otherKey } = yield* pki.authority.client("other")
        const cases = [
          { schedulerGrpcTlsCa: write("empty", "") },
          { schedulerGrpcTlsCa: write("garbage", "no certificate") },
          { schedulerGrpcTlsCa: brain.key },
          { schedulerGrpcTlsCert: write("empty", "") },
          { schedulerGrpcTlsKey: write("empty", "") },
          { schedulerGrpcTlsKey: otherKey }
        ]
        for (const files of cases) {
          const brain = serverOn("SQLite", { ...pki.settings(0), ...files })
          const exit = yield* Effect.exit(Effect.scoped(Layer.build(brain)))
          const cause = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it started"
          assert.match(cause, /TLS_CERT, _KEY and _CA/, JSON.stringify(files))
        }
      })
  )
})

describe("mutual TLS of the server for schedulers", () => {
  const brain = schedulersOn("SQLite", { schedulerGrpcAllowedNames: ["good", "second"] })
  layer(brain.pipe(Layer.provide(recorder)), { excludeTestServices: true })((it) => {
    it.scoped("a name on the list is served", () =>
      Effect.gen(function*() {
        const { scheduler } = yield* connect("good")
        assert.strictEqual((yield* ping(scheduler)).scheduler_protocol_epoch, 1)
      }))

    it.scoped(
      "wrong authority, expired, wrong name, a server's certificate: refused, and logged once",
      () =>
        Effect.gen(function*() {
          const { pki } = yield* Port
          const cases = [
            [yield* pki.otherAuthority.client("good"), "another authority signed its certificate"],
            [yield* pki.authority.client("good", 2), "its certificate has expired"],
            [
              yield* pki.authority.client("stranger"),
              `the certificate name "stranger" is not in SVC_SCHEDULER_GRPC_ALLOWED_NAMES`
            ],
            [pki.brain, "its certificate is not for clients"]
          ] as const
          for (const [files, cause] of cases) {
            for (let attempt = 0; attempt < 3; attempt++) {
              const failure = yield* Effect.flip(ping(yield* clientOf(files)))
              assert.match(failure.message, /^(14 UNAVAILABLE|4 DEADLINE)/, cause)
            }
            yield* until(Effect.sync(refusals), (seen) => seen.some((line) => line.endsWith(cause)))
            assert.lengthOf(refusals().filter((line) => line.endsWith(cause)), 1, cause)
          }
        })
    )

    it.scoped("no certificate, no TLS, no HTTP/2: refused, and logged once", () =>
      Effect.gen(function*() {
        const { pki, port } = yield* Port
        const ca = readFileSync(pki.authority.cert)
        const { cert, key } = yield* pki.authority.client("good")
        const closes = (options: object) =>
          Effect.async<void>((resume) => {
            const socket = connectTls({ host: "127.0.0.1", port, ca, ...options })
            socket.on("error", () => {})
            socket.on("close", () => resume(Effect.void))
            socket.resume()
          })
        for (let attempt = 0; attempt < 3; attempt++) {
          yield* closes({ ALPNProtocols: ["h2"] })
          yield* closes({ cert: readFileSync(cert), key: readFileSync(key) })
          const plain = yield* openTcp(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
          yield* until(Effect.sync(plain.isClosed), (isClosed) => isClosed)
          const garbage = yield* openTcp(port, Buffer.alloc(4096, 0xff))
          yield* until(Effect.sync(garbage.isClosed), (isClosed) => isClosed)
        }
        for (const cause of ["it has no certificate", "it does not speak HTTP/2", "it does not speak TLS"]) {
          assert.lengthOf(refusals().filter((line) => line.endsWith(cause)), 1, cause)
        }
      }))

    it.scoped("a client refuses a brain whose certificate another authority has signed", () =>
      Effect.gen(function*() {
        const { pki } = yield* Port
        const client = yield* clientOf(yield* pki.authority.client("good"), pki.otherAuthority.cert)
        assert.match((yield* Effect.flip(ping(client))).message, /^(14 UNAVAILABLE|4 DEADLINE)/)
      }))

    it.scoped(
      "connections that never begin TLS, break off or send garbage keep no other client out",
      () =>
        Effect.gen(function*() {
          const { pki, port } = yield* Port
          const { scheduler } = yield* connect("good")
          yield* ping(scheduler)
          const silent = yield* Effect.forEach(Array.from({ length: 100 }), () => openTcp(port), { concurrency: 20 })
          yield* until(
            Effect.sync(() => silent.filter(({ isClosed }) => isClosed()).length),
            (closed) => closed >= 100 - 32 // more than one address may open
          )
          for (const { socket } of silent) socket.resetAndDestroy()
          for (const bytes of [1, 5, 6, 100]) {
            const half = yield* openTcp(port, Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]).subarray(0, bytes))
            half.socket.resetAndDestroy()
          }
          // HTTP/2 that is none, after a good handshake
          const { cert, key } = yield* pki.authority.client("second")
          yield* Effect.async<void>((resume) => {
            const socket = connectTls({
              host: "127.0.0.1",
              port,
              ca: readFileSync(pki.authority.cert),
              cert: readFileSync(cert),
              key: readFileSync(key),
              ALPNProtocols: ["h2"]
            }, () => socket.write(Buffer.alloc(100_000, 0x20)))
            socket.on("error", () => {})
            socket.on("close", () => resume(Effect.void))
            socket.resume()
          })
          yield* ping(scheduler)
          const { scheduler: other } = yield* until(
            Effect.option(Effect.tap(connect("second"), (client) => ping(client.scheduler))),
            (found) => found._tag === "Some"
          ).pipe(Effect.flatten)
          yield* ping(other)
        })
    )

    it.scoped("a message over 1 MiB is refused, and the connection stays open", () =>
      Effect.gen(function*() {
        const { scheduler } = yield* connect("good")
        const huge = callUnary(scheduler, SchedulerServiceService.quarantineSchedule, {
          project_id: "",
          schedule_id: "",
          observed_control_token: "",
          reason_code: "",
          detail: "x".repeat(2 * 1024 * 1024),
          scheduler_protocol_epoch: 1
        })
        assert.match((yield* Effect.flip(huge)).message, /^8 RESOURCE_EXHAUSTED/)
        yield* ping(scheduler)
      }))
  })
})
