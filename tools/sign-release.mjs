#!/usr/bin/env node
/**
 * Prints the document for SVC_RELEASES_URL: a package's version, address and digest, signed by the release key. It needs
 * nothing but Node 20. docs/operations.md, svc upgrade, has the whole procedure.
 */
import { createPrivateKey, createPublicKey, hash, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"

const help = `Usage: sign-release.mjs --key FILE [--url URL] PACKAGE

  PACKAGE     svc-<version>.tgz, as npm pack writes it
  --key FILE  the private release key: openssl genpkey -algorithm ed25519 -out FILE
  --url URL   where the package will be; default: its file name, beside the document

The document goes to standard output, the public key (for SVC_RELEASE_KEY) to standard error.`

const { positionals: [file], values } = parseArgs({
  allowPositionals: true,
  options: { key: { type: "string" }, url: { type: "string" }, help: { type: "boolean" } }
})
const version = /^svc-(\d+\.\d+\.\d+(?:-[\w.-]+)?)\.tgz$/.exec(basename(file ?? ""))?.[1]
if (values.help || values.key === undefined || version === undefined) {
  console.error(help)
  process.exit(2)
}

const key = createPrivateKey(readFileSync(values.key))
const sha512 = hash("sha512", readFileSync(file), "hex")
const signature = sign(null, Buffer.from(`svc release ${version} sha512 ${sha512}\n`), key).toString("base64url")
console.log(JSON.stringify({ version, tarball: values.url ?? basename(file), sha512, signature }))
console.error(createPublicKey(key).export({ format: "jwk" }).x)
