import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { parseDocument } from "yaml"
import { canonicalize, float, type JsonInput } from "../../domain/kernel/CanonicalJson.ts"
import { CliError } from "../program/Explain.ts"

/** Values of YAML as JSON with all digits: integers are bigints, so that each number is a float. */
const toJson = (value: unknown): JsonInput => {
  if (typeof value === "number") return float(value)
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") return value
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value !== "object" || value === null) return null
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toJson(member)]))
}

/** The JSON text of a snapshot in a file. JSON is YAML too. */
export const readScheduleFile = (file: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(file).pipe(
      Effect.mapError(() => new CliError({ message: `${file} cannot be read` }))
    )
    const document = parseDocument(text, { intAsBigInt: true, merge: true })
    const [problem] = document.errors
    if (problem !== undefined) {
      return yield* new CliError({ message: `${file} is not YAML: ${problem.message.split("\n", 1)[0]}` })
    }
    const value: unknown = document.toJS()
    if (typeof value !== "object" || value === null || !("schedules" in value)) {
      return yield* new CliError({ message: `${file} has no list named schedules` })
    }
    return canonicalize(toJson(value))
  })
