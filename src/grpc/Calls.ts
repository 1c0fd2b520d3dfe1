import type { sendUnaryData, ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js"
import { status } from "@grpc/grpc-js"
import { Cause, Effect, Exit, FiberSet, Option } from "effect"
import { system } from "../domain/kernel/Actor.ts"
import { CurrentActor } from "../services/kernel/CurrentActor.ts"
import { CallFailed } from "./Convert.ts"
import type { Peer, Peers } from "./Peers.ts"

/** A call without streams ends after this time at the latest, also where its client set no deadline. */
const callTimeout = "30 seconds"

/** What a client sees of an unexpected failure; the log has the cause. */
const internal = { code: status.INTERNAL, details: "The brain failed. Its log has the cause." }
const closing = { code: status.UNAVAILABLE, details: "The brain is shutting down." }
const late = new CallFailed({ code: status.DEADLINE_EXCEEDED, details: `The call took over ${callTimeout}.` })

const statusOf = (cause: Cause.Cause<CallFailed>) =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => (Cause.isInterruptedOnly(cause) ? closing : internal),
    onSome: ({ code, details }) => ({ code, details })
  })

/**
 * Sends a message, and suspends while the client reads more slowly than the brain writes. Fails for a client that takes
 * nothing for `seconds`: what waits for it is in memory.
 */
export const send = <O>(
  call: ServerWritableStream<unknown, O>,
  message: O,
  seconds: number
): Effect.Effect<void, CallFailed> =>
  Effect.suspend(() => {
    if (call.write(message)) return Effect.void
    return Effect.timeoutFail(awaitDrain(call), {
      duration: `${seconds} seconds`,
      onTimeout: () =>
        new CallFailed({ code: status.DEADLINE_EXCEEDED, details: `The stream was not read for ${seconds} s.` })
    })
  })

const awaitDrain = (call: ServerWritableStream<unknown, unknown>): Effect.Effect<void> =>
  Effect.async((resume) => {
    const done = () => resume(Effect.void)
    if (!call.writableNeedDrain) return done()
    call.once("drain", done)
    return Effect.sync(() => call.off("drain", done))
  })

/** Runs handlers of gRPC calls as effects, in the scope of the server. The caller is the actor of the audit log. */
export const makeCalls = (peers: Peers) =>
  Effect.gen(function*() {
    const fork = yield* FiberSet.makeRuntime<never>()

    const run = <A>(
      method: string,
      address: string,
      handle: (peer: Peer) => Effect.Effect<A, CallFailed, CurrentActor>
    ) =>
      Effect.flatMap(peers.find(address), (peer) =>
        Effect.provideService(handle(peer), CurrentActor, system(`scheduler:${peer.name}`))).pipe(
          Effect.tapErrorCause((cause) =>
            Cause.isFailure(cause) && Option.isNone(Cause.failureOption(cause)) && !Cause.isInterruptedOnly(cause)
              ? Effect.logError(`the gRPC call ${method} failed`, cause)
              : Effect.void
          ),
          Effect.withSpan(`grpc ${method}`),
          Effect.exit
        )

    const unary =
      <I, O>(method: string, handle: (request: I, peer: Peer) => Effect.Effect<O, CallFailed, CurrentActor>) =>
      (call: ServerUnaryCall<I, O>, callback: sendUnaryData<O>): void => {
        const respond = (exit: Exit.Exit<O, CallFailed>) =>
          Exit.match(exit, {
            onFailure: (cause) =>
              callback(statusOf(cause)),
            onSuccess: (value) => callback(null, value)
          })
        const limited = (peer: Peer) =>
          Effect.timeoutFail(handle(call.request, peer), {
            duration: callTimeout,
            onTimeout: () => late
          })
        fork(run(method, call.getPeer(), limited)).addObserver((exit) => respond(Exit.flatten(exit)))
      }

    /** `handle` ends the stream by its return; a client that leaves interrupts it. */
    const streaming = <I, O>(
      method: string,
      handle: (call: ServerWritableStream<I, O>, peer: Peer) => Effect.Effect<void, CallFailed, CurrentActor>
    ) =>
    (call: ServerWritableStream<I, O>): void => {
      call.on("error", () => {}) // the stream is destroyed below; an `error` without a listener ends the process
      const fiber = fork(run(method, call.getPeer(), (peer) => handle(call, peer)))
      call.on("cancelled", () => fiber.unsafeInterruptAsFork(fiber.id()))
      fiber.addObserver((exit) =>
        Exit.match(Exit.flatten(exit), {
          onFailure: (cause) => call.emit("error", statusOf(cause)), // grpc-js sends it as the status
          onSuccess: () => call.end()
        })
      )
    }

    return { unary, streaming } as const
  })
