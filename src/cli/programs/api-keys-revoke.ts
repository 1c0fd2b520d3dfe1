import { Console, Effect, Option } from "effect"
import type { ApiKey } from "../../domain/ApiKey.ts"
import { confirmed } from "../Confirm.ts"
import { Refused } from "../Explain.ts"
import { remotely } from "../Remote.ts"
import { visible } from "../Visible.ts"

/** The key of this id, or the only valid one of this name. */
const keyNamed = (keys: ReadonlyArray<ApiKey>, given: string): Effect.Effect<ApiKey, Refused> => {
  const byId = keys.find(({ id }) => id === given.toLowerCase())
  if (byId !== undefined) return Effect.succeed(byId)
  const [only, ...others] = keys.filter(({ name, revoked_at }) => name === given && revoked_at === null)
  if (only === undefined) return new Refused({ message: `no such API key: ${visible(given)}. svc api-keys list shows yours` })
  return others.length === 0
    ? Effect.succeed(only)
    : new Refused({ usage: true, message: `${others.length + 1} of your API keys are called ${visible(given)}: give the id of one (svc api-keys list shows them)` })
}

export const run = ({ key: given, yes }: { readonly key: string; readonly yes: boolean }) =>
  remotely(Option.none(), ({ api }) =>
    Effect.gen(function*() {
      const { id, name } = yield* keyNamed(yield* api.api_keys.list({}), given)
      yield* confirmed(yes, `Revokes the API key ${visible(name)} (${id}) for good: whatever uses it is refused from then on.`)
      yield* api.api_keys.revoke({ path: { key_id: id } })
      yield* Console.log(`revoked the API key ${visible(name)} (${id})`)
    }))
