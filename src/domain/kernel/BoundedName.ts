/** Names and ids within the bounds of what is stored: too long ones are truncated, and stay distinct. Plain code, on both ends of the wire. */
import { hash } from "node:crypto"
import { isStorable, toStorable } from "./Text.ts"

/** UTF-16 units of an engine's name, of a task's id, of other names, and of a task's name. */
export const MAX_ENGINE_LENGTH = 40
export const MAX_TASK_ID_LENGTH = 200
export const MAX_LABEL_LENGTH = 200
export const MAX_TASK_NAME_LENGTH = 500

/** Hexadecimal digits of the hash that keeps two names apart of which the same part was kept. */
const HASH_DIGITS = 12

/**
 * The name, where it has at most `most` UTF-16 units and both databases can hold it; else its beginning and a hash of
 * all of it. Agent and brain truncate alike, so a task and its children name the same id.
 */
export const boundName = (name: string, most: number): string => {
  if (name.length <= most && isStorable(name)) return name
  const digest = hash("sha256", Buffer.from(name, "utf16le"), "hex").slice(0, HASH_DIGITS)
  return `${toStorable(name, most - HASH_DIGITS - 2)}[${digest}]`
}
