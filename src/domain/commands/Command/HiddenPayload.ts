import {
  canonicalTextOf,
  JsonArray,
  type JsonNode,
  JsonObject,
  parse,
  ParseFailure
} from "../../kernel/CanonicalJson.ts"
import type { Command } from "../Command.ts"

/**
 * Members of payloads and results, at any depth, that show what only `payload_role` sees. Results have them too: after
 * a change of a schedule, the agent's result is its whole definition.
 */
const hiddenMembers: ReadonlySet<string> = new Set(["args", "kwargs", "override_args", "override_kwargs", "result"])

const hintPattern = new RegExp(`"(?:${[...hiddenMembers].join("|")})":`)

const hideIn = (node: JsonNode): string => {
  if (node instanceof JsonArray) return `[${node.items.map(hideIn).join(",")}]`
  if (!(node instanceof JsonObject)) return canonicalTextOf(node)
  const members = node.keys.map((key, index) =>
    `${JSON.stringify(key)}:${hiddenMembers.has(key) ? "null" : hideIn(node.values[index]!)}`
  )
  return `{${members.join(",")}}`
}

/** The canonical text with null for these members; others keep their digits. */
const hideText = (text: string): string => {
  if (!hintPattern.test(text)) return text
  const node = parse(text)
  return node instanceof ParseFailure ? "null" : hideIn(node)
}

/** The command without arguments of tasks and their results, for callers who may not see them. */
export const hidePayload = (command: Command): Command => ({
  ...command,
  payload: hideText(command.payload),
  result: command.result === null ? null : hideText(command.result)
})
