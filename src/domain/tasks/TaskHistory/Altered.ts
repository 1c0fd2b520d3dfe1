/** What agents and the brain had to change in a task's events to keep them. */
import { asString, JsonArray, JsonObject, parse } from "../../kernel/CanonicalJson.ts"
import { ALTERED } from "../../kernel/TaskEvent.ts"
import type { History } from "./History.ts"

/** The fields that at least one event has changed, sorted. */
export const listAlteredFields = ({ entries }: History): ReadonlyArray<string> => {
  const fields = new Set<string>()
  for (const { rest } of entries) {
    if (!rest.startsWith(`"${ALTERED}":`)) continue
    const members = parse(`{${rest}}`)
    const listed = members instanceof JsonObject ? members.get(ALTERED) : undefined
    for (const item of listed instanceof JsonArray ? listed.items : []) {
      const field = asString(item)
      if (field !== undefined) fields.add(field)
    }
  }
  return [...fields].sort()
}
