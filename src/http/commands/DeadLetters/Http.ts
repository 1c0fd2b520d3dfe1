import { DeadLetters } from "../../../services/commands/DeadLetters.ts"
import { implementGroup } from "../../ImplementGroup.ts"

export const layer = implementGroup("dead_letters", function*(handlers) {
  const deadLetters = yield* DeadLetters
  return handlers.handle("list", ({ urlParams }) => deadLetters.list(urlParams))
})
