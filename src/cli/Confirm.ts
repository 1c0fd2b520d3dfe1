import { Prompt } from "@effect/cli"
import { Effect } from "effect"
import { Refused } from "./Explain.ts"

/** Whether there is a person to ask. */
export const asksPeople = Effect.sync(() => process.stdin.isTTY && process.stdout.isTTY)

/** Goes on when a person at a terminal says so, or with `--yes`. `question` has no question mark's worth of doubt: what is lost. */
export const confirmed = (yes: boolean, question: string, option = "--yes") =>
  Effect.gen(function*() {
    if (yes) return
    if (!(yield* asksPeople)) return yield* new Refused({ usage: true, message: `${question} Nobody can be asked here: say ${option}` })
    const answer = yield* Prompt.run(Prompt.confirm({ message: question })).pipe(Effect.orElseSucceed(() => false))
    if (!answer) return yield* new Refused({ message: "nothing was done" })
  })
