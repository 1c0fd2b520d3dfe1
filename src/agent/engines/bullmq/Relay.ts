/**
 * Relays commands between the processes of an application that have the same queues: a command reaches one of them, and
 * its job or worker may be in another. The relay is an event stream of BullMQ on the same Redis,
 * `<prefix>:svc-agent:events`.
 *
 * Each request has its own key, `<prefix>:svc-agent:ask:<id>`, and the process that deletes it decides. The executing
 * process deletes it before it begins; the requesting one deletes it when no outcome arrives. So a request that was reported
 * as not executed is never executed later, however long a process was stopped and whatever the machines' clocks say.
 */
import {
  type ConnectionOptions,
  isRedisInstance,
  QueueEvents,
  type QueueEventsListener,
  QueueEventsProducer
} from "bullmq"
import { type Cause, Deferred, Duration, Effect, Either, Option, Queue, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { ActionFailed, type ActionResult } from "../../runtime/Engine.ts"
import { clientOf, setExpiring } from "./Backend.ts"
import { close, refuse, write } from "./Broker.ts"

export type WorkerRequest =
  | { readonly action: "cancel_job"; readonly queue: string; readonly jobId: string }
  | { readonly action: "pool_resize"; readonly worker: string; readonly delta: number }
  | { readonly action: "restart_worker"; readonly worker: string }
  | { readonly action: "add_consumer" | "cancel_consumer"; readonly worker: string; readonly queue: string }

/** Executes the request if the job or worker is in this process; else null. */
export type RequestHandler = (request: WorkerRequest) => Effect.Effect<ActionResult, ActionFailed> | null

/**
 * Sends the request to all other processes; the one with the job or worker executes it. Fails when none does. The failure is
 * `indeterminate` only if a process started the request and did not report its outcome.
 */
export type SendRequest = (request: WorkerRequest) => Effect.Effect<ActionResult, ActionFailed>

type RelayOutcome =
  | { readonly answer: ActionResult }
  | { readonly message: string; readonly indeterminate: boolean }

interface Listener extends QueueEventsListener {
  readonly ask: (event: { readonly id: string; readonly from: string; readonly request: string }) => void
  readonly answer: (event: { readonly id: string; readonly outcome: string }) => void
}

const channel = "svc-agent"
const replyTimeout = Duration.seconds(6)
/**
 * More time for a process that has begun by then. Both together are below the runtime's timeout of an engine's call.
 */
const completionTimeout = Duration.seconds(3)
/** A request expires after that, if the requesting process has died. */
const requestTtlMillis = 10_000
const maxStreamEntries = 100

export const makeRelay = Effect.fnUntraced(function*(
  connection: ConnectionOptions,
  prefix: string | undefined,
  handle: RequestHandler
) {
  const self = randomUUID()
  const scope = yield* Effect.scope
  const options = { connection: yield* withoutRetryLimit(connection), ...(prefix === undefined ? {} : { prefix }) }
  const pendingRequests = new Map<string, Deferred.Deferred<ActionResult, ActionFailed>>()
  const incomingRequests = yield* Queue.unbounded<{ readonly id: string; readonly request: string }>()

  const events = yield* Effect.acquireRelease(
    Effect.sync(() => new QueueEvents(channel, options)),
    close
  )
  const producer = yield* Effect.acquireRelease(
    Effect.sync(() => new QueueEventsProducer(channel, options)),
    close
  )
  // Redis is away: both reconnect by themselves
  events.on("error", () => undefined)
  producer.on("error", () => undefined)

  events.on<Listener, "ask">("ask", ({ from, id, request }) => {
    if (from !== self) incomingRequests.unsafeOffer({ id, request })
  })
  events.on<Listener, "answer">("answer", ({ id, outcome }) => {
    const deferred = pendingRequests.get(id)
    if (deferred !== undefined) Deferred.unsafeDone(deferred, resultOf(outcome))
  })

  const keyOf = (id: string) => producer.toKey(`ask:${id}`)
  /** Whether the request was still unclaimed. True for one process only. */
  const claim = (id: string) => write(async () => (await (await clientOf(producer)).del(keyOf(id))) === 1)

  const publishOutcome = Effect.fnUntraced(function*(id: string, handled: Effect.Effect<ActionResult, ActionFailed>) {
    const result = yield* Effect.either(handled)
    const outcome: RelayOutcome = Either.match(result, {
      onLeft: ({ indeterminate = false, message }) => ({ message, indeterminate }),
      onRight: (answer) => ({ answer })
    })
    yield* write(() =>
      producer.publishEvent({ eventName: "answer", id, outcome: JSON.stringify(outcome) }, maxStreamEntries)
    )
  })
  const logFailure = Effect.catchAllCause((cause: Cause.Cause<ActionFailed>) =>
    Effect.logWarning("a request of another process failed, or its outcome could not be sent", cause)
  )
  /** Long requests run in the background, so that the next one is not withdrawn while it waits. */
  const serve = Effect.fnUntraced(function*({ id, request }: { readonly id: string; readonly request: string }) {
    const handled = handle(JSON.parse(request))
    if (handled !== null && (yield* claim(id))) yield* Effect.forkIn(logFailure(publishOutcome(id, handled)), scope)
  })
  yield* Queue.take(incomingRequests).pipe(
    Effect.flatMap(serve),
    logFailure,
    Effect.forever,
    Effect.forkScoped
  )

  const sendRequest: SendRequest = Effect.fnUntraced(function*(request) {
    const id = randomUUID()
    const deferred = yield* Deferred.make<ActionResult, ActionFailed>()
    pendingRequests.set(id, deferred)
    const event = { eventName: "ask", id, from: self, request: JSON.stringify(request) }
    const publish = write(async () => {
      await setExpiring(producer, keyOf(id), self, requestTtlMillis)
      await producer.publishEvent(event, maxStreamEntries)
    })
    const awaitOutcome = Deferred.await(deferred)
    const sendAndWait = Effect.gen(function*() {
      yield* publish
      const reply = yield* Effect.timeoutOption(awaitOutcome, replyTimeout)
      if (Option.isSome(reply)) return reply.value
      if (yield* claim(id)) return yield* refuse(noReplyMessage(request))
      return yield* Effect.timeoutFail(awaitOutcome, { duration: completionTimeout, onTimeout: indeterminateFailure })
    })
    return yield* Effect.ensuring(sendAndWait, Effect.sync(() => pendingRequests.delete(id)))
  })
  return sendRequest
})

/**
 * The connection for a blocking reader: BullMQ refuses a client that stops its retries, which a queue may have. A
 * client is copied, and the copy closed with the scope.
 */
const withoutRetryLimit = (connection: ConnectionOptions): Effect.Effect<ConnectionOptions, never, Scope.Scope> => {
  if (!isRedisInstance(connection)) return Effect.succeed({ ...connection, maxRetriesPerRequest: null })
  // its class may be of another copy of ioredis: BullMQ 5 has one of its own
  const givesUp = (connection.options.maxRetriesPerRequest ?? null) !== null
  if (!givesUp) return Effect.succeed(connection)
  return Effect.acquireRelease(
    Effect.sync(() => connection.duplicate({ maxRetriesPerRequest: null }).on("error", () => undefined)),
    (copy) => Effect.sync(() => copy.disconnect())
  )
}

const resultOf = (text: string): Effect.Effect<ActionResult, ActionFailed> =>
  Effect.suspend(() => {
    const outcome: RelayOutcome = JSON.parse(text)
    return "answer" in outcome ? Effect.succeed(outcome.answer) : Effect.fail(new ActionFailed(outcome))
  })

const noReplyMessage = (request: WorkerRequest): string =>
  request.action === "cancel_job"
    ? "the job runs in a process without an agent, or with one that does not answer, so it cannot be cancelled from here"
    : `no process with an agent that answers has a worker ${request.worker}; nothing was done`

const indeterminateFailure = () =>
  new ActionFailed({
    message:
      "the process that owns the job or worker started the request and did not report its outcome, which is unknown",
    indeterminate: true
  })
