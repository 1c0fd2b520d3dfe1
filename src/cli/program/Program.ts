import { CliConfig } from "@effect/cli"
import { Console, Effect } from "effect"
import { version } from "../../domain/kernel/Version.ts"
import { completeWord } from "./CompletionScripts.ts"
import { type CommandDescription, isGroup, nameOf } from "./Describe.ts"
import { findCommand, hasHelpOption, rejectBuiltIns, withRepairedOutput } from "./EffectCli.ts"
import { CliError } from "./Explain.ts"
import { commandHelp, groupHelp, type ProgramDescription, rootHelp } from "./Help.ts"
import { printCandidates } from "./PrintCandidates.ts"

/** Commands under one heading of `--help`. */
interface ProgramSection {
  readonly heading: string
  readonly commands: ReadonlyArray<{ readonly descriptor: CommandDescription }>
}

interface Program<E, R> extends ProgramDescription {
  readonly sections: ReadonlyArray<ProgramSection>
  /** Runs the command that a process's arguments name. */
  readonly run: (args: ReadonlyArray<string>) => Effect.Effect<void, E, R>
  /** Groups that do something themselves, where others show their help. */
  readonly runAlone?: ReadonlyArray<CommandDescription>
}

/** A program of several commands: runs the one that the process's arguments name, or explains them. */
export const makeProgram = <E, R>({ run, runAlone = [], sections, ...description }: Program<E, R>) => {
  const { name } = description
  const groups = sections.map(({ commands, heading }) => ({
    heading,
    commands: commands.map(({ descriptor }) => descriptor)
  }))
  const root: ReadonlyMap<string, CommandDescription> = new Map(
    groups.flatMap(({ commands }) => commands.map((command) => [nameOf(command), command]))
  )
  const runProgram = (args: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      const given = args.slice(2)
      if (given[0] === completeWord) return yield* printCandidates(root, given.slice(1))
      yield* rejectBuiltIns(name, given)
      const named = findCommand(name, root, given)
      if (named instanceof CliError) return yield* named
      if (named === undefined && (given.length === 0 || hasHelpOption(given))) {
        return yield* Console.log(rootHelp(description, version, groups))
      }
      if (named !== undefined && isGroup(named.command)) {
        const runsAlone = runAlone.includes(named.command)
        if (hasHelpOption(given) || !runsAlone) return yield* Console.log(groupHelp(named, runsAlone))
      }
      if (named !== undefined && hasHelpOption(given)) return yield* Console.log(commandHelp(named))
      yield* Effect.provide(run(args), CliConfig.layer({ showBuiltIns: false })).pipe(
        withRepairedOutput(given, named)
      )
    })
  return { name, run: runProgram }
}
