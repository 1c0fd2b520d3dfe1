import { type ClientReadableStream, type ClientUnaryCall, Metadata, type ServiceError, status } from "@grpc/grpc-js"
import { Clock, Effect, Stream } from "effect"
import { BrainUnavailable } from "./Brain.ts"

/** What the library says of a failed call, as a sentence. */
const describe = (method: string, { code, details }: ServiceError): string => {
  const name = status[code] ?? String(code)
  return `${method}: ${name.toLowerCase().replaceAll("_", " ")}${details === "" ? "" : ` (${details})`}`
}

export const unavailable = (method: string) => (cause: unknown): BrainUnavailable =>
  new BrainUnavailable({
    message: cause instanceof Error && "code" in cause
      ? describe(method, cause as ServiceError) // the library fails with ServiceError only
      : `${method}: ${String(cause)}`,
    cause
  })

/** A call of the generated client, in its form with all arguments. */
type UnaryMethod<Request, Response> = (
  request: Request,
  metadata: Metadata,
  options: { readonly deadline: number },
  callback: (error: ServiceError | null, response: Response) => void
) => ClientUnaryCall

/** One call with its deadline; cancelled when its fiber is interrupted. */
export const unary = <Request, Response>(
  name: string,
  deadlineMillis: number,
  method: UnaryMethod<Request, Response>,
  request: Request
): Effect.Effect<Response, BrainUnavailable> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.async<Response, BrainUnavailable>((resume) => {
      const running = method(
        request,
        new Metadata(),
        { deadline: now + deadlineMillis },
        (error, response) => resume(error === null ? Effect.succeed(response) : Effect.fail(unavailable(name)(error)))
      )
      return Effect.sync(() => running.cancel())
    }))

/** The messages of a call; cancelled when its scope closes. */
export const streaming = <A>(method: string, call: () => ClientReadableStream<A>): Stream.Stream<A, BrainUnavailable> =>
  Stream.asyncPush<A, BrainUnavailable>(
    (emit) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          const running = call()
          running.on("data", (message: A) => emit.single(message))
          running.on("error", (error) => emit.fail(unavailable(method)(error)))
          running.on("end", () => emit.end())
          return running
        }),
        (running) => Effect.sync(() => running.cancel())
      ),
    { bufferSize: "unbounded" }
  )

/** A message that is not as the protocol has it. */
export const invalid = (method: string, what: string) =>
  new BrainUnavailable({ message: `${method}: the brain's answer is invalid: ${what}` })
