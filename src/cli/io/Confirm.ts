import { Prompt } from "@effect/cli"
import { Effect } from "effect"
import { CliError } from "../program/Explain.ts"

/** Whether the program runs at a terminal. */
export const isInteractive = Effect.sync(() => process.stdin.isTTY && process.stdout.isTTY)

/** Continues with `--yes`, or when the person at the terminal agrees. `statement` says what will be lost. */
export const confirm = (yes: boolean, statement: string) =>
  Effect.gen(function*() {
    if (yes) return
    if (!(yield* isInteractive)) {
      return yield* new CliError({ usage: true, message: `${statement} To confirm without a terminal, add --yes` })
    }
    const isConfirmed = yield* Prompt.run(Prompt.confirm({ message: statement })).pipe(
      Effect.orElseSucceed(() => false)
    )
    if (!isConfirmed) return yield* new CliError({ message: "nothing was done" })
  })
