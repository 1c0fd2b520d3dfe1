import { Args, Command } from "@effect/cli"
import { Console } from "effect"
import { completionScript, shells } from "./CompletionScripts.ts"

/** The command that prints the completion script of a program. */
export const makeCompletion = (program: string) =>
  Command.make(
    "completion",
    {
      shell: Args.choice(shells.map((shell) => [shell, shell] as const), { name: "shell" }).pipe(
        Args.withDescription("The shell that loads the script.")
      )
    },
    ({ shell }) => Console.log(completionScript(program, shell))
  ).pipe(
    Command.withDescription(
      "Print a script that completes commands, options and names: bash, zsh or fish load it."
    )
  )
