import { Effect } from "effect"
import { DeadLetters } from "../../../services/commands/DeadLetters.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup(
  "dead_letters",
  Effect.fnUntraced(function*(handlers) {
    const deadLetters = yield* DeadLetters
    return handlers.handle("list", ({ urlParams }) => deadLetters.list(urlParams))
  })
)
