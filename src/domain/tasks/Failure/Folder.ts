/** Names of folders without what changes from deploy to deploy and from machine to machine. */

/** Folders that have a folder for each release. */
const releaseFolders: ReadonlySet<string> = new Set([
  "releases",
  "release",
  "versions",
  "deployments",
  "deploys",
  "builds",
  "revisions"
])

const temporaryFolders: ReadonlySet<string> = new Set(["tmp", "temp", "Temp", "T"])

/** `v1.2.3`, `shop-1.2.3rc1`, `python3.12`, `bullmq@5.41.0`. A plain `v1` is often a part of the code: the API's version. */
const version = /v?\d+(?:\.\d+)+[\w.+-]*$/i
/** `2026_11_27`, `20261127T101500Z`, also in a longer name. */
const date = /\d{4}[-_.]\d{2}[-_.]\d{2}[\w.-]*$/
/** A commit's short hash. Longer ones are ids (Mask.ts). */
const shortHash = /^[\da-f]{7}$/
/** What Python's tempfile adds to a name. */
const temporaryName = /^tmp[\w.]{6,10}$/
/** The hashes of a Kubernetes ReplicaSet and of its pod, in the letters that Kubernetes uses for them. */
const podHashes =
  /-[\da-f]{6,10}-[bcdf-hj-np-tv-xz2456789]{5}$|-[bcdf-hj-np-tv-xz2456789]{6,10}-[bcdf-hj-np-tv-xz2456789]{5}$/
const hasDigit = /\d/

const maxLength = 200

/** The folder's name, with `#` for the part that is not of the code. `parent`: the folder that it is in, or empty. */
export const maskFolder = (folder: string, parent: string): string => {
  const name = folder.slice(0, maxLength)
  if (releaseFolders.has(parent) && hasDigit.test(name)) return "#"
  if (temporaryFolders.has(parent) || temporaryName.test(name) && hasDigit.test(name)) return "#"
  if (shortHash.test(name) && hasDigit.test(name)) return "#"
  for (const pattern of [podHashes, date, version]) {
    const masked = name.replace(pattern, (part) => `${part.startsWith("-") ? "-" : ""}#`)
    if (masked !== name) return masked
  }
  return folder
}
