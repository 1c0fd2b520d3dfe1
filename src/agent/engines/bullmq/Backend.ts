/**
 * What BullMQ 5 and 6 keep in different places. Behind the classes of 6 is a backend with the connections; in 5 the
 * classes have the connections themselves, and methods that are missing in some of its versions. All types are those of
 * 6, so the parts of 5 are interfaces here.
 */
import type { Job, Queue, RedisClient, RedisQueueBackend, Worker } from "bullmq"
import type { Redis } from "ioredis"

/** A queue, a worker, or a reader or producer of events. */
export type BullMQObject = Of6 | Of5

interface Of6 {
  readonly getBackend: () => RedisQueueBackend
}

interface Of5 {
  readonly client: Promise<Client>
  readonly clientName: (suffix?: string) => string
  readonly connection: { readonly on: (event: "error", listener: () => void) => unknown }
}

interface WorkerOf5 {
  readonly blockingConnection: {
    readonly disconnect: (wait: boolean) => Promise<void>
    readonly reconnect: () => Promise<void>
  }
}

/** BullMQ's own interface of a client, or in most versions of 5 the client of ioredis itself. */
type Client = RedisClient | Redis

const isWrapped = (client: Client): client is RedisClient => "runCommand" in client

/** Only 6 has other stores than Redis. */
export const isOnRedis = (object: BullMQObject): boolean =>
  !("getBackend" in object) || "redisVersion" in object.getBackend()

/** The connection to Redis, once it has been made. */
export const clientOf = (object: BullMQObject): Promise<Client> =>
  "getBackend" in object ? object.getBackend().client : object.client

/**
 * For an object that was closed while it connected. 5 emits that failure when it has removed all listeners, which would
 * end the process as an unhandled rejection; 6 checks for a listener first.
 */
export const ignoreLateFailure = (object: BullMQObject): void => {
  if (!("getBackend" in object)) object.connection.on("error", () => undefined)
}

export interface Script {
  /** Under which a client knows it; unique among the scripts of a process. */
  readonly name: string
  readonly lua: string
}

/** Runs a script with one key and one argument. */
export const runScript = async (
  object: BullMQObject,
  { lua, name }: Script,
  key: string,
  argument: string
): Promise<unknown> => {
  const client = await clientOf(object)
  if (!isWrapped(client)) return client.eval(lua, 1, key, argument)
  client.defineCommand(name, { numberOfKeys: 1, lua })
  return client.runCommand(name, [key, argument])
}

/** Stores a value that expires. */
export const setExpiring = async (object: BullMQObject, key: string, value: string, ttlMillis: number) => {
  const client = await clientOf(object)
  return isWrapped(client) ? client.set(key, value, { PX: ttlMillis }) : client.set(key, value, "PX", ttlMillis)
}

/** Waits for entries of the object's event stream after that one. Returns the reply of `XREAD`. */
export const readEvents = async (
  object: BullMQObject & { readonly keys: Queue["keys"] },
  after: string,
  blockMillis: number
): Promise<unknown> => {
  if ("getBackend" in object) return object.getBackend().readEvents(after, blockMillis)
  const client = await object.client
  const key = object.keys.events ?? ""
  return isWrapped(client)
    ? client.xread([{ key, id: after }], { BLOCK: blockMillis })
    : client.xread("BLOCK", blockMillis, "STREAMS", key, after)
}

/** Redis's lists of its clients, one for each node. */
export const clientListsOf = async (object: BullMQObject): Promise<ReadonlyArray<string>> => {
  if ("getBackend" in object) return object.getBackend().getClientList()
  const client = await object.client
  return [isWrapped(client) ? await client.clientList() : String(await client.client("LIST"))]
}

/** The name that BullMQ gives the connections of a queue's workers; before a worker's own name is `:w:`. */
export const clientNameOf = (object: BullMQObject, suffix?: string): string =>
  "getBackend" in object ? object.getBackend().clientName(suffix) : object.clientName(suffix)

/** Ends a worker's waiting fetch, and connects again for the next one. */
export const interruptFetch = async (worker: Of6 | WorkerOf5): Promise<void> => {
  if ("getBackend" in worker) {
    await worker.getBackend().disconnectBlocking()
    return worker.getBackend().reconnectBlocking()
  }
  await worker.blockingConnection.disconnect(true)
  await worker.blockingConnection.reconnect()
}

const RESET_ATTEMPTS: Script = {
  name: "svcResetAttempts",
  lua: `if redis.call("HEXISTS", KEYS[1], "finishedOn") == 1 then
  return redis.call("HSET", KEYS[1], "atm", ARGV[1], "ats", ARGV[1])
end`
}

/** Before a failed job runs again. 6 does so itself in `retry`, where most versions of 5 ignore the options for it. */
export const resetAttempts = async (queue: BullMQObject & Pick<Queue, "toKey">, { id = "" }: Job): Promise<void> => {
  if (!("getBackend" in queue)) await runScript(queue, RESET_ATTEMPTS, queue.toKey(id), "0")
}

/** A state of jobs that `clean` takes. */
export type CleanedState = NonNullable<Parameters<Queue["clean"]>[2]>

/** 5 moves the waiting jobs of a paused queue into a list of their own, which `waiting` counts but does not clean. */
export const pausedStatesOf = (queue: BullMQObject): ReadonlyArray<CleanedState> =>
  "getBackend" in queue ? [] : ["paused"]

/** Since 5.61; 5.60 cannot remove a limit. */
export const canLimitRate = (queue: Queue): boolean => "removeGlobalRateLimit" in queue
/** Since 5.64. */
export const canCancelJobs = (worker: Worker): boolean => "cancelJob" in worker
