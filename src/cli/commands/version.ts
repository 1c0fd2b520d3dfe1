import { Command } from "@effect/cli"
import { Console } from "effect"
import { version as current } from "../../domain/Version.ts"
import { json } from "../Options.ts"

export const version = Command.make(
  "version",
  { json },
  ({ json }) => Console.log(json ? JSON.stringify({ version: current }) : current)
).pipe(Command.withDescription("Print the version."))
