/**
 * Between the processes of an app that have the same queues: a command arrives at one of them, and the job or the
 * worker that it means may be in another. Goes by an event stream of BullMQ's own on the same Redis,
 * `<prefix>:svc-agent:events`.
 */
import {
  type ConnectionOptions,
  isRedisInstance,
  QueueEvents,
  type QueueEventsListener,
  QueueEventsProducer
} from "bullmq"
import { Deferred, Duration, Effect, Either, Option, Queue, type Scope } from "effect"
import { Redis } from "ioredis"
import { randomUUID } from "node:crypto"
import { ActionFailed, type Answer } from "../../runtime/Engine.ts"
import { close, refuse, write } from "./Broker.ts"

export type WorkerRequest =
  | { readonly action: "cancel_job"; readonly queue: string; readonly jobId: string }
  | { readonly action: "pool_resize"; readonly worker: string; readonly delta: number }
  | { readonly action: "restart_worker"; readonly worker: string }
  | { readonly action: "add_consumer" | "cancel_consumer"; readonly worker: string; readonly queue: string }

/** Does what is asked if the job or worker is this process's own; null if it is not. */
export type Handler = (request: WorkerRequest) => Effect.Effect<Answer, ActionFailed> | null

/** Asks all other processes; the one that has the job or worker answers. Fails when none does. */
export type Ask = (request: WorkerRequest) => Effect.Effect<Answer, ActionFailed>

type Outcome =
  | { readonly answer: Answer }
  | { readonly message: string; readonly indeterminate: boolean }

interface Listener extends QueueEventsListener {
  readonly ask: (event: { readonly id: string; readonly from: string; readonly request: string }) => void
  readonly answer: (event: { readonly id: string; readonly outcome: string }) => void
}

const channel = "svc-agent"
const patience = Duration.seconds(6)
const mostKept = 100

export const relay = Effect.fnUntraced(function*(
  connection: ConnectionOptions,
  prefix: string | undefined,
  handle: Handler
) {
  const self = randomUUID()
  const options = { connection: yield* patient(connection), ...(prefix === undefined ? {} : { prefix }) }
  const waiting = new Map<string, Deferred.Deferred<Answer, ActionFailed>>()
  const asked = yield* Queue.unbounded<{ readonly id: string; readonly request: string }>()

  const events = yield* Effect.acquireRelease(
    Effect.sync(() => new QueueEvents(channel, options)),
    close
  )
  const producer = yield* Effect.acquireRelease(
    Effect.sync(() => new QueueEventsProducer(channel, options)),
    close
  )
  // Redis away: both come back by themselves
  events.on("error", () => undefined)
  producer.on("error", () => undefined)

  events.on<Listener, "ask">("ask", ({ from, id, request }) => {
    if (from !== self) asked.unsafeOffer({ id, request })
  })
  events.on<Listener, "answer">("answer", ({ id, outcome }) => {
    const deferred = waiting.get(id)
    if (deferred !== undefined) Deferred.unsafeDone(deferred, resultOf(outcome))
  })

  const serve = Effect.fnUntraced(function*({ id, request }: { readonly id: string; readonly request: string }) {
    const done = handle(JSON.parse(request))
    if (done === null) return
    const result = yield* Effect.either(done)
    const outcome: Outcome = Either.match(result, {
      onLeft: ({ indeterminate = false, message }) => ({ message, indeterminate }),
      onRight: (answer) => ({ answer })
    })
    yield* write(() => producer.publishEvent({ eventName: "answer", id, outcome: JSON.stringify(outcome) }, mostKept))
  })
  yield* Queue.take(asked).pipe(
    Effect.flatMap(serve),
    Effect.catchAllCause((cause) => Effect.logWarning("what another process asked could not be done or answered", cause)),
    Effect.forever,
    Effect.forkScoped
  )

  const ask: Ask = Effect.fnUntraced(function*(request) {
    const id = randomUUID()
    const deferred = yield* Deferred.make<Answer, ActionFailed>()
    waiting.set(id, deferred)
    const event = { eventName: "ask", id, from: self, request: JSON.stringify(request) }
    const answer = yield* write(() => producer.publishEvent(event, mostKept)).pipe(
      Effect.zipRight(Effect.timeoutOption(Deferred.await(deferred), patience)),
      Effect.ensuring(Effect.sync(() => waiting.delete(id)))
    )
    return yield* Option.match(answer, { onNone: () => refuse(nobody(request)), onSome: Effect.succeed })
  })
  return ask
})

/**
 * The connection as a reader that blocks needs it: BullMQ refuses a client that gives up after some tries, which a
 * queue may have. A client's copy is closed with the scope.
 */
const patient = (connection: ConnectionOptions): Effect.Effect<ConnectionOptions, never, Scope.Scope> => {
  if (!isRedisInstance(connection)) return Effect.succeed({ ...connection, maxRetriesPerRequest: null })
  const givesUp = connection instanceof Redis && connection.options.maxRetriesPerRequest !== null
  if (!givesUp) return Effect.succeed(connection)
  return Effect.acquireRelease(
    Effect.sync(() => connection.duplicate({ maxRetriesPerRequest: null }).on("error", () => undefined)),
    (copy) => Effect.sync(() => copy.disconnect())
  )
}

const resultOf = (text: string): Effect.Effect<Answer, ActionFailed> =>
  Effect.suspend(() => {
    const outcome: Outcome = JSON.parse(text)
    return "answer" in outcome ? Effect.succeed(outcome.answer) : Effect.fail(new ActionFailed(outcome))
  })

const nobody = (request: WorkerRequest): string =>
  request.action === "cancel_job"
    ? "the job runs in a process that has no agent beside it, so nobody can end it"
    : `no process with an agent has a worker ${request.worker}`
