import { Effect, Either, Option, Schema } from "effect"
import { isVersion } from "../domain/ReleaseVersion.ts"
import { NpmClient, NpmFailed } from "./NpmClient.ts"

/** The npm package of the program, and that of the agent runtime. */
export const packageNames = { svc: "svc", agent: "svc-agent" } as const

const checkTimeout = "30 seconds"

/** What `npm view` prints of the tag `latest`; other members are ignored. */
const View = Schema.parseJson(Schema.Struct({
  version: Schema.String.pipe(Schema.filter(isVersion)),
  bin: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
}))

const Registry = Schema.Trim.pipe(Schema.compose(Schema.String.pipe(Schema.pattern(/^https?:\/\/[^\s]{1,2000}$/))))

/** The registry's address without credentials. */
const withoutCredentials = (text: string): string => {
  const url = new URL(text)
  url.username = ""
  url.password = ""
  url.search = ""
  return url.toString()
}

/**
 * Reads releases from the registry that npm is configured with. Nothing is sent but npm's own request for the package, and
 * nothing runs unless it is asked for.
 */
export class Releases extends Effect.Service<Releases>()("svc/Releases", {
  effect: Effect.gen(function*() {
    const npm = yield* NpmClient

    const view = (name: string, cwd?: string) =>
      Effect.flatMap(
        npm.run(["view", `${name}@latest`, "version", "bin", "--json"], {
          timeout: checkTimeout,
          ...(cwd !== undefined && { cwd })
        }),
        (output) =>
          Either.match(Schema.decodeUnknownEither(View)(output), {
            onLeft: () =>
              new NpmFailed({
                reason: "invalid_answer",
                message: `the registry's answer about ${name} is not a package`
              }),
            onRight: Effect.succeed
          })
      )

    /**
     * The newest version of svc. The public registry has had another package of this name, so a package without the
     * program svc-scheduler is refused.
     */
    const latestProgram = (cwd?: string) =>
      Effect.flatMap(
        view(packageNames.svc, cwd),
        ({ bin = {}, version }) =>
          typeof bin.svc === "string" && typeof bin["svc-scheduler"] === "string"
            ? Effect.succeed(version)
            : new NpmFailed({
              reason: "other_program",
              message: `the registry's package ${packageNames.svc} ${version} is another program. ` +
                "Configure npm with the registry that has this one (npm config set registry)"
            })
      )

    /** The newest version of the agent runtime; none where the registry does not have it. */
    const latestAgent = view(packageNames.agent).pipe(
      Effect.map(({ version }) => version),
      Effect.option
    )

    /** The registry's address, for people. */
    const registry = (cwd?: string) =>
      Effect.map(
        npm.run(["config", "get", "registry"], { timeout: checkTimeout, ...(cwd !== undefined && { cwd }) }),
        (output) =>
          Option.match(Schema.decodeUnknownOption(Registry)(output), {
            onNone: () => "unknown",
            onSome: withoutCredentials
          })
      )

    return { latestProgram, latestAgent, registry } as const
  })
}) {
  static readonly layer = this.Default
}
