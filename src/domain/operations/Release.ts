import { Either, Schema } from "effect"
import { isVersion } from "./ReleaseVersion.ts"

/** The document at SVC_RELEASES_URL: the newest release of svc (docs/operations.md, svc upgrade). */
export const Release = Schema.Struct({
  version: Schema.String.pipe(Schema.filter(isVersion)),
  /** The npm package; may be relative to the document's own address. */
  tarball: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(2000)),
  /** Digest of the package, in hex. */
  sha512: Schema.String.pipe(Schema.pattern(/^[0-9a-f]{128}$/)),
  /** Ed25519 signature of `releaseStatement`, 64 bytes as base64url. */
  signature: Schema.optional(Schema.String.pipe(Schema.pattern(/^[\w-]{86}$/)))
})
export type Release = typeof Release.Type

const decode = Schema.decodeUnknownEither(Schema.parseJson(Release))

/** Parses the document that was read from `url`; null if it is none. The package's address becomes absolute. */
export const parseRelease = (text: string, url: string): Release | null =>
  Either.match(decode(text), {
    onLeft: () => null,
    onRight: (release) => {
      const tarball = URL.canParse(release.tarball, url) ? new URL(release.tarball, url) : null
      return tarball !== null && /^https?:$/.test(tarball.protocol) && tarball.username === "" &&
          tarball.password === ""
        ? { ...release, tarball: tarball.toString() }
        : null
    }
  })

/**
 * What the release key signs. It has the version beside the digest, so that an older, vulnerable package cannot be
 * presented as a newer one. `tools/sign-release.mjs` writes the same line.
 */
export const releaseStatement = ({ sha512, version }: Pick<Release, "sha512" | "version">): string =>
  `svc release ${version} sha512 ${sha512}\n`
