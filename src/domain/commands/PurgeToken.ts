import { createHmac, type KeyObject } from "node:crypto"

/**
 * The `confirm_token` of a `purge_queue` command: it binds the queue's depth, which the agent measures itself and
 * must find the same (the agents' protocol, section 5.3). `key` is the agent's signing key.
 */
export const makePurgeToken = (key: KeyObject | Buffer, queue: string, depth: number): string =>
  createHmac("sha256", key).update(`purge|${queue}|${depth}`).digest("hex")
