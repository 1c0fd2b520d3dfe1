import { FileSystem } from "@effect/platform"
import { Effect } from "effect"
import { normalizeHostName } from "../domain/HostName.ts"
import { allowedHostsFile } from "../services/AllowedHosts.ts"
import { Settings } from "../services/Settings.ts"
import { Refused } from "./Explain.ts"

/** A name as people type it, in the form that is compared. */
export const parseHost = (text: string) => {
  const name = normalizeHostName(text)
  return name === null
    ? Effect.fail(new Refused({ usage: true, message: `${text} is not a host name or address; give it without https:// and without a port` }))
    : Effect.succeed(name)
}

/** The lines of the list, and how to put others in their place: whoever reads it meanwhile sees the old ones or the new. */
export const readAllowedHosts = Effect.gen(function*() {
  const fs = yield* FileSystem.FileSystem
  const { home } = yield* Settings
  const file = allowedHostsFile(home)
  const content = (yield* fs.exists(file)) ? yield* fs.readFileString(file) : ""
  const write = (lines: ReadonlyArray<string>) =>
    Effect.gen(function*() {
      yield* fs.makeDirectory(home, { recursive: true, mode: 0o700 })
      yield* fs.writeFileString(`${file}.new`, lines.map((line) => `${line}\n`).join(""), { mode: 0o600 })
      yield* fs.rename(`${file}.new`, file)
    })
  return { lines: content.split(/\r?\n/).filter((line) => line !== ""), write }
})
