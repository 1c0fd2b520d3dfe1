import { HttpClient } from "@effect/platform"
import { Chunk, Data, Effect, Stream } from "effect"
import { parseRelease } from "../../domain/operations/Release.ts"
import { Settings } from "../kernel/Settings.ts"

export type ReleaseFailure =
  /** SVC_RELEASES_URL is not set. */
  | "no_feed"
  /** The server did not respond, or responded with an error. */
  | "offline"
  /** The document is not what the documentation says. */
  | "invalid_answer"

/** The release feed, or a package that it names, could not be read. `message` is one sentence. */
export class ReleaseFailed extends Data.TaggedError("ReleaseFailed")<{
  readonly reason: ReleaseFailure
  readonly message: string
}> {}

const documentTimeout = "30 seconds"
const packageTimeout = "10 minutes"
const maxDocumentBytes = 64 * 1024
/** The package is some 10 MB. */
const maxPackageBytes = 128 * 1024 * 1024

/** Reads the release feed that the operator configured (SVC_RELEASES_URL). Without the setting nothing is called. */
export class Releases extends Effect.Service<Releases>()("svc/Releases", {
  effect: Effect.gen(function*() {
    const { releasesUrl } = yield* Settings
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)

    const read = (url: string, what: string, maxBytes: number) => {
      let bytes = 0
      const tooLarge = new ReleaseFailed({
        reason: "invalid_answer",
        message: `${what} has more than ${maxBytes} bytes`
      })
      return client.get(url).pipe(
        Effect.flatMap(({ stream }) =>
          stream.pipe(
            Stream.tap((part) => (bytes += part.length) > maxBytes ? tooLarge : Effect.void),
            Stream.runCollect
          )
        ),
        Effect.map((parts) => Buffer.concat(Chunk.toReadonlyArray(parts))),
        Effect.catchTags({
          ResponseError: ({ response }) =>
            new ReleaseFailed({
              reason: "offline",
              message: `${what} cannot be read: its server answered ${response.status}`
            }),
          RequestError: () =>
            new ReleaseFailed({ reason: "offline", message: `${what} cannot be read: its server does not answer` })
        })
      )
    }

    /** The newest release. */
    const latest = Effect.gen(function*() {
      if (releasesUrl === "") {
        return yield* new ReleaseFailed({
          reason: "no_feed",
          message: "no release feed is configured (SVC_RELEASES_URL)"
        })
      }
      const text = yield* read(releasesUrl, "the release feed", maxDocumentBytes).pipe(
        Effect.timeoutFail({
          duration: documentTimeout,
          onTimeout: () => new ReleaseFailed({ reason: "offline", message: "the release feed did not answer in time" })
        })
      )
      const release = parseRelease(text.toString("utf8"), releasesUrl)
      return release ??
        (yield* new ReleaseFailed({
          reason: "invalid_answer",
          message: "the answer of SVC_RELEASES_URL is not a release of svc"
        }))
    })

    /** The bytes at a package's address. They prove nothing by themselves. */
    const download = (url: string) =>
      Effect.timeoutFail(read(url, "the package", maxPackageBytes), {
        duration: packageTimeout,
        onTimeout: () => new ReleaseFailed({ reason: "offline", message: "the package did not arrive in time" })
      })

    return { feed: releasesUrl, latest, download } as const
  })
}) {
  static readonly layer = this.Default
}
