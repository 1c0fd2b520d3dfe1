/**
 * Between the processes of an app that have the same queues: a command arrives at one of them, and the job or the
 * worker that it means may be in another. Goes by an event stream of BullMQ's own on the same Redis,
 * `<prefix>:svc-agent:events`.
 *
 * Each ask has a key of its own, `<prefix>:svc-agent:ask:<id>`. Whoever deletes it decides: the process that does what
 * is asked takes it before it begins, the one that asked takes it back when nobody answers. So what was said not to be
 * done is never done later, however long a process stood still and whatever the clocks of the machines say.
 */
import {
  type ConnectionOptions,
  isRedisInstance,
  QueueEvents,
  type QueueEventsListener,
  QueueEventsProducer
} from "bullmq"
import { type Cause, Deferred, Duration, Effect, Either, Option, Queue, type Scope } from "effect"
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

/**
 * Asks all other processes; the one that has the job or worker answers. Fails when none does, `indeterminate` only where
 * one began and was not heard of again.
 */
export type Ask = (request: WorkerRequest) => Effect.Effect<Answer, ActionFailed>

type RelayOutcome =
  | { readonly answer: Answer }
  | { readonly message: string; readonly indeterminate: boolean }

interface Listener extends QueueEventsListener {
  readonly ask: (event: { readonly id: string; readonly from: string; readonly request: string }) => void
  readonly answer: (event: { readonly id: string; readonly outcome: string }) => void
}

const channel = "svc-agent"
const answerTimeout = Duration.seconds(6)
/** More for who has begun by then. Both together are less than the runtime waits for an engine. */
const completionTimeout = Duration.seconds(3)
/** An ask is void after that, should the process that asked be gone. */
const askTtlMillis = 10_000
const maxStreamEntries = 100

export const makeRelay = Effect.fnUntraced(function*(
  connection: ConnectionOptions,
  prefix: string | undefined,
  handle: Handler
) {
  const self = randomUUID()
  const scope = yield* Effect.scope
  const options = { connection: yield* withoutRetryLimit(connection), ...(prefix === undefined ? {} : { prefix }) }
  const pendingAsks = new Map<string, Deferred.Deferred<Answer, ActionFailed>>()
  const incomingAsks = yield* Queue.unbounded<{ readonly id: string; readonly request: string }>()

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
    if (from !== self) incomingAsks.unsafeOffer({ id, request })
  })
  events.on<Listener, "answer">("answer", ({ id, outcome }) => {
    const deferred = pendingAsks.get(id)
    if (deferred !== undefined) Deferred.unsafeDone(deferred, resultOf(outcome))
  })

  const keyOf = (id: string) => producer.toKey(`ask:${id}`)
  /** Whether the ask was still open. To one process only. */
  const claim = (id: string) =>
    write(async () => (await (await producer.getBackend().client).del(keyOf(id))) === 1)

  const publishAnswer = Effect.fnUntraced(function*(id: string, handled: Effect.Effect<Answer, ActionFailed>) {
    const result = yield* Effect.either(handled)
    const outcome: RelayOutcome = Either.match(result, {
      onLeft: ({ indeterminate = false, message }) => ({ message, indeterminate }),
      onRight: (answer) => ({ answer })
    })
    yield* write(() => producer.publishEvent({ eventName: "answer", id, outcome: JSON.stringify(outcome) }, maxStreamEntries))
  })
  const logFailure = Effect.catchAllCause((cause: Cause.Cause<ActionFailed>) =>
    Effect.logWarning("what another process asked could not be done or answered", cause))
  /** What takes long is done beside what comes next, whose askers would take it back meanwhile. */
  const serve = Effect.fnUntraced(function*({ id, request }: { readonly id: string; readonly request: string }) {
    const handled = handle(JSON.parse(request))
    if (handled !== null && (yield* claim(id))) yield* Effect.forkIn(logFailure(publishAnswer(id, handled)), scope)
  })
  yield* Queue.take(incomingAsks).pipe(
    Effect.flatMap(serve),
    logFailure,
    Effect.forever,
    Effect.forkScoped
  )

  const ask: Ask = Effect.fnUntraced(function*(request) {
    const id = randomUUID()
    const deferred = yield* Deferred.make<Answer, ActionFailed>()
    pendingAsks.set(id, deferred)
    const event = { eventName: "ask", id, from: self, request: JSON.stringify(request) }
    const publish = write(async () => {
      await (await producer.getBackend().client).set(keyOf(id), self, { PX: askTtlMillis })
      await producer.publishEvent(event, maxStreamEntries)
    })
    const awaitAnswer = Deferred.await(deferred)
    const askAndWait = Effect.gen(function*() {
      yield* publish
      const firstAnswer = yield* Effect.timeoutOption(awaitAnswer, answerTimeout)
      if (Option.isSome(firstAnswer)) return firstAnswer.value
      if (yield* claim(id)) return yield* refuse(noAnswerMessage(request))
      return yield* Effect.timeoutFail(awaitAnswer, { duration: completionTimeout, onTimeout: indeterminateFailure })
    })
    return yield* Effect.ensuring(askAndWait, Effect.sync(() => pendingAsks.delete(id)))
  })
  return ask
})

/**
 * The connection as a reader that blocks needs it: BullMQ refuses a client that gives up after some tries, which a
 * queue may have. A client's copy is closed with the scope.
 */
const withoutRetryLimit = (connection: ConnectionOptions): Effect.Effect<ConnectionOptions, never, Scope.Scope> => {
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
    const outcome: RelayOutcome = JSON.parse(text)
    return "answer" in outcome ? Effect.succeed(outcome.answer) : Effect.fail(new ActionFailed(outcome))
  })

const noAnswerMessage = (request: WorkerRequest): string =>
  request.action === "cancel_job"
    ? "the job runs in a process that has no agent beside it, or one that does not answer, so nobody can end it"
    : `no process with an agent that answers has a worker ${request.worker}; nothing was done`

const indeterminateFailure = () =>
  new ActionFailed({ message: "the process that has it began and did not answer; it may be done", indeterminate: true })
