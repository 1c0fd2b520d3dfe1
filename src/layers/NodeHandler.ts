import {
  Cookies,
  type Headers,
  HttpApp,
  HttpIncomingMessage,
  HttpServerError,
  HttpServerRequest,
  type HttpServerResponse
} from "@effect/platform"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Chunk, Context, Effect, Inspectable, Option, Runtime, RuntimeFlags, Scope, Stream } from "effect"
import { type IncomingMessage, type Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/**
 * Runs `app` for each request of the server until the scope ends, without spans. The platform's own handler makes them, and sends
 * bodies of any kind; it took 34 of the 125 µs of CPU time that `/health` took, and this one takes 10 (bench/http.ts).
 */
export const serveRequests = (server: Server, app: HttpApp.Default<unknown, Scope.Scope>) =>
  Effect.gen(function*() {
    const { fiberRefs, runtimeFlags } = yield* Effect.runtime<never>()
    const answer = makeAnswer(app)
    // a request runs to its end; the router makes its handler interruptible
    const flags = RuntimeFlags.disable(runtimeFlags, RuntimeFlags.Interruption)
    const onRequest = (source: IncomingMessage, response: ServerResponse) => {
      const context = Context.make(HttpServerRequest.HttpServerRequest, new NodeRequest(source, response))
      const fiber = Runtime.runFork(Runtime.make({ context, fiberRefs, runtimeFlags: flags }), answer)
      if (fiber.unsafePoll() !== null) return
      response.once("close", () => {
        if (!response.writableEnded) fiber.unsafeInterruptAsFork(HttpServerError.clientAbortFiberId)
      })
    }
    // an upgrade that no other listener takes, such as a WebSocket on a path that is not there, is a request like any other
    const onUpgrade = (source: IncomingMessage, socket: Duplex) => {
      const response = new ServerResponse(source)
      response.assignSocket(socket as Socket) // the cast: what Node gives to the listeners of a server on TCP
      response.once("finish", () => socket.end())
      onRequest(source, response)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => server.on("request", onRequest).on("upgrade", onUpgrade)),
      () => Effect.sync(() => server.off("request", onRequest).off("upgrade", onUpgrade))
    )
  })

const makeAnswer = (app: HttpApp.Default<unknown, Scope.Scope>) =>
  Effect.flatMap(Scope.make(), (scope) =>
    app.pipe(
      Effect.catchAllCause((cause) => Effect.map(HttpServerError.causeResponse(cause), ([response]) => response)),
      Effect.flatMap(send),
      Scope.extend(scope),
      Effect.onExit((exit) => Scope.close(scope, exit))
    ))

/** Sends the response, changed by the handlers that were appended while it was made. */
const send = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.withFiberRuntime<void, unknown, HttpServerRequest.HttpServerRequest>((fiber) => {
    const request = Context.unsafeGet(fiber.currentContext, HttpServerRequest.HttpServerRequest)
    const changes = fiber.getFiberRef(HttpApp.currentPreResponseHandlers)
    const node = NodeHttpServerRequest.toServerResponse(request)
    return changes._tag === "None"
      ? write(request.method, node, response)
      : Effect.flatMap(changes.value(request, response), (changed) => write(request.method, node, changed))
  })

const write = (
  method: string,
  node: ServerResponse,
  { body, cookies, headers, status }: HttpServerResponse.HttpServerResponse
): Effect.Effect<void> => {
  if (node.writableEnded) return Effect.void
  node.writeHead(
    status,
    Cookies.isEmpty(cookies) ? headers : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) }
  )
  if (method === "HEAD" || body._tag === "Empty") node.end()
  else if (body._tag === "Uint8Array") node.end(body.body)
  else if (body._tag === "Raw" && typeof body.body === "string") node.end(body.body)
  else if (body._tag === "Stream") return writeStream(node, body.stream)
  else return Effect.dieMessage(`a response with a body of the kind ${body._tag}`)
  return Effect.void
}

/** The next chunk is asked for once Node has taken the last. A failure ends the body, since the status is sent. */
const writeStream = (node: ServerResponse, stream: Stream.Stream<Uint8Array, unknown>) => {
  const drained = Effect.unsafeMakeLatch(true)
  node.on("drain", () => drained.unsafeOpen())
  return Stream.orDie(stream).pipe(
    Stream.runForEachChunk((chunks) => {
      for (const chunk of Chunk.toReadonlyArray(chunks)) if (!node.write(chunk)) drained.unsafeClose()
      return drained.await
    }),
    Effect.interruptible,
    Effect.ensuring(Effect.sync(() => node.end()))
  )
}

/** Bodies are read by `readBody` of the routes, and upgrades are the gateway's. */
const notHere = Effect.dieMessage("the request's body was not read by its route")

/** Node's request as the platform's. It reads what the platform's own does from `source` when it is asked for. */
class NodeRequest extends Inspectable.Class implements HttpServerRequest.HttpServerRequest {
  readonly [HttpServerRequest.TypeId]: HttpServerRequest.TypeId = HttpServerRequest.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly source: IncomingMessage
  readonly response: ServerResponse
  readonly url: string

  constructor(source: IncomingMessage, response: ServerResponse) {
    super()
    this.source = source
    this.response = response
    this.url = source.url ?? ""
  }

  get text() {
    return notHere
  }
  get json() {
    return notHere
  }
  get urlParamsBody() {
    return notHere
  }
  get arrayBuffer() {
    return notHere
  }
  get multipart() {
    return notHere
  }
  get upgrade() {
    return notHere
  }
  get stream() {
    return Stream.fromEffect(notHere)
  }
  get multipartStream() {
    return this.stream
  }
  get originalUrl() {
    return this.url
  }
  get method() {
    // the cast: Node's parser accepts no other methods
    return (this.source.method ?? "GET") as HttpServerRequest.HttpServerRequest["method"]
  }
  get headers() {
    // the cast: Node gives names in lower case, and only set-cookie, which no request has, as an array
    return this.source.headers as Headers.Headers
  }
  get cookies() {
    return Cookies.parseHeader(this.headers["cookie"] ?? "")
  }
  get remoteAddress() {
    return Option.fromNullable(this.source.socket.remoteAddress)
  }
  modify(): HttpServerRequest.HttpServerRequest {
    return this
  }
  toJSON() {
    return { _id: "svc/NodeRequest", method: this.method, url: this.url }
  }
}
