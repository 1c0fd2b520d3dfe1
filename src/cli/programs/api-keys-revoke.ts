import { Console, Effect, Option } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { confirm } from "../Confirm.ts"
import { Refused } from "../Explain.ts"
import { withRemote } from "../Remote.ts"
import { escapeText } from "../TerminalText.ts"

/** The key of this id, or the only valid one of this name. */
const getKey = (keys: ReadonlyArray<ApiKey>, given: string): Effect.Effect<ApiKey, Refused> => {
  const byId = keys.find(({ id }) => id === given.toLowerCase())
  if (byId !== undefined) return Effect.succeed(byId)
  const [only, ...others] = keys.filter(({ name, revoked_at }) => name === given && revoked_at === null)
  if (only === undefined) return new Refused({ message: `no such API key: ${escapeText(given)}. svc api-keys list shows yours` })
  return others.length === 0
    ? Effect.succeed(only)
    : new Refused({ usage: true, message: `${others.length + 1} of your API keys are called ${escapeText(given)}: give the id of one (svc api-keys list shows them)` })
}

export const run = ({ key: given, yes }: { readonly key: string; readonly yes: boolean }) =>
  withRemote(Option.none(), ({ api }) =>
    Effect.gen(function*() {
      const { id, name } = yield* getKey(yield* api.api_keys.list({}), given)
      yield* confirm(yes, `Revokes the API key ${escapeText(name)} (${id}) for good: whatever uses it is refused from then on.`)
      yield* api.api_keys.revoke({ path: { key_id: id } })
      yield* Console.log(`revoked the API key ${escapeText(name)} (${id})`)
    }))
