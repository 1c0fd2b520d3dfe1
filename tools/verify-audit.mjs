#!/usr/bin/env node
/**
 * Verifies an audit log of svc without svc: this file, the rows, a file of checkpoints and the public keys are enough.
 * It follows docs/audit.md and shares no code with the program that writes the log. It runs on Node 20 or newer.
 */
import { createHash, createPublicKey, verify } from "node:crypto"
import { createReadStream, realpathSync } from "node:fs"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

const help = `Usage: verify-audit.mjs --public-key KEY [--public-key KEY]... [--checkpoints FILE]... [ROWS]

Reads audit_watermark, audit_head and the rows of audit_log by seq, each as a JSON object on its own line, from the file
ROWS or from standard input; docs/audit.md has the commands that write them.

  --public-key KEY    a key that checkpoints and watermarks are signed with, as svc audit public-key prints it
  --checkpoints FILE  checkpoints, or heads that were exported, that were kept outside of the database

Each finding is a line. Exit 0: nothing found. 1: the log is broken. 2: nothing could be verified.`

class Unusable extends Error {}

/** Milliseconds that the clocks of replicas may be apart without a word. */
const clocksApart = 300_000

const zeros = "0".repeat(64)
const sha256 = (text) => createHash("sha256").update(text)
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`

/** The objects of lines, with the text of each; the brackets and commas of `sqlite3 -json` are dropped. */
async function* objects({ lines, name }) {
  let number = 0
  for await (const line of lines) {
    number++
    const text = line.trim()
    if (text === "") continue
    const json = text.replace(/^\[/, "").replace(/\}[\],]$/, "}")
    let value = null
    try {
      value = JSON.parse(json)
    } catch {
      // stays null, and its reader reports it
    }
    yield { where: `${name} line ${number}`, text, value: isObject(value) ? value : null }
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
const isText = (value) => typeof value === "string"
const isTextOrNull = (value) => value === null || isText(value)
const isCount = (value) => Number.isSafeInteger(value) && value >= 0
const isHash = (value) => isText(value) && /^[0-9a-f]{64}$/.test(value)

/** What is wrong with the keys or the types of an object, or null. */
const misfit = (object, fields) => {
  const wrong = Object.keys(fields).find((key) => !Object.hasOwn(object, key) || !fields[key](object[key]))
  if (wrong !== undefined) return `${wrong} is missing or of another form`
  const other = Object.keys(object).find((key) => !Object.hasOwn(fields, key))
  return other === undefined ? null : `${other} is not known, and not covered by the hash`
}

/** RFC 8785 for flat objects of strings, whole numbers and null with keys in ASCII: what rows and statements are. */
const canonical = (object, keys) =>
  `{${keys.toSorted().map((key) => `${JSON.stringify(key)}:${JSON.stringify(object[key])}`).join(",")}}`

// Signed statements

const statementFields = {
  key_id: isText,
  kind: isText,
  row_hash: isHash,
  seq: isCount,
  signature: isText,
  time: (value) => isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/.test(value),
  v: (value) => value === 1
}
const kinds = {
  checkpoint: { ...statementFields, number: isCount, prev: isHash, rows: isCount, stream: isText },
  head: { ...statementFields, row_hmac: isHash, rows: isCount },
  watermark: { ...statementFields, row_hmac: isHash }
}

const keysOf = (texts) =>
  new Map(texts.map((given) => {
    const text = given.trim().split(/\s+/).at(-1)
    const bytes = Buffer.from(text, "base64url")
    if (bytes.length !== 32 || bytes.toString("base64url") !== text) {
      throw new Unusable(`--public-key ${text}: not 43 characters of base64url`)
    }
    const id = sha256("svc audit public key\n").update(bytes).digest("hex").slice(0, 16)
    return [id, createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: text } })]
  }))

/** Whether this is a statement of the kind, signed with one of the keys; what is wrong with it is found. */
const isSigned = (statement, kind, keys, where, found) => {
  if (statement?.kind !== kind) return found(where, `not a ${kind}`)
  const wrong = misfit(statement, kinds[kind])
  if (wrong !== null) return found(where, wrong)
  const key = keys.get(statement.key_id)
  if (key === undefined) return found(where, `no --public-key belongs to the key that signed it, ${statement.key_id}`)
  const signed = canonical(statement, Object.keys(statement).filter((name) => name !== "signature"))
  const signature = Buffer.from(statement.signature, "base64url")
  const holds = signature.toString("base64url") === statement.signature &&
    verify(null, Buffer.from(`svc audit statement 1\n${signed}`), key, signature)
  return holds || found(where, "the signature does not hold")
}

/** Adds the checkpoints and heads of a file whose signatures hold to the list of each `seq`. */
const readCheckpoints = async (file, keys, bySeq, found) => {
  const streams = new Map()
  for await (const { text, value, where } of objects(file)) {
    const isHead = value?.kind === "head"
    if (isSigned(value, isHead ? "head" : "checkpoint", keys, where, found) !== true) continue
    const { number, prev, row_hash, seq, stream, time } = value
    if (!isHead) {
      const hash = sha256(text).digest("hex")
      const before = streams.get(stream) ?? { number: number - 1, hash: number === 1 ? zeros : prev, seq: -1 }
      if (before.hash === hash) continue // a sink may receive a checkpoint twice
      if (number !== before.number + 1) found(where, `number ${number} follows on ${before.number}`)
      else if (prev !== before.hash) found(where, "prev is not the hash of the checkpoint before it")
      if (seq <= before.seq) found(where, `about row ${seq}, the one before it about row ${before.seq}`)
      streams.set(stream, { number, hash, seq })
    }
    bySeq.set(seq, [...(bySeq.get(seq) ?? []), { where, row_hash, time }])
  }
}

// Rows

const hashed = {
  action: isText,
  api_key_id: isTextOrNull,
  event_id: isTextOrNull,
  id: isText,
  metadata: isText,
  occurred_at: isText,
  outcome: isText,
  project_id: isTextOrNull,
  result: isText,
  seq: isCount,
  source_ip: isTextOrNull,
  target_id: isTextOrNull,
  target_type: isText,
  user_agent: isTextOrNull,
  user_id: isTextOrNull
}
const hashedKeys = Object.keys(hashed)
const rowFields = { ...hashed, row_hash: isHash, prev_row_hmac: isHash, row_hmac: isHash, key_id: isText }
const hashOf = (prev, row) => sha256(["svc audit row 1", prev, canonical(row, hashedKeys)].join("\n")).digest("hex")

/** Walks the rows in constant memory: what it knows is the link of the row before. */
const walk = async (input, keys, checkpoints, found) => {
  let link = { seq: 0, row_hash: zeros, row_hmac: zeros }
  let watermark = null
  let head = null
  let rows = 0
  let newest = null
  let newestTime = null
  let begin = 0
  let pruned = 0
  let unproven = { rows: 0, since: null }
  const ahead = []
  let chainKey = null
  /** Only the row audit.key_rotated, which tells both keys and is hashed, is signed with another key than the row before. */
  const follow = ({ action, key_id, metadata, seq }) => {
    if (chainKey !== null && key_id !== chainKey) {
      const rotation = action === "audit.key_rotated" ? parsed(metadata) : null
      if (rotation?.from !== chainKey || rotation?.to !== key_id) {
        found(
          `row ${seq}`,
          `key_id is ${key_id}, and that of the row before ${chainKey}: no row here records a key rotation`
        )
      }
    }
    chainKey = key_id
  }
  const compare = (seq, row_hash, occurred_at = "") => {
    for (const { row_hash: signed, time, where } of checkpoints.get(seq) ?? []) {
      if (signed !== row_hash) found(where, `at ${time} row ${seq} had another row_hash than it has now`)
      if (Date.parse(occurred_at) - Date.parse(time) > clocksApart) ahead.push({ seq, occurred_at, time })
      newest = { seq, time }
      unproven = { rows: 0, since: null }
    }
    checkpoints.delete(seq)
  }
  compare(link.seq, link.row_hash)

  for await (const { value, where } of objects(input)) {
    if (value === null) {
      found(where, "is not a JSON object")
    } else if (value.kind === "watermark" && rows > 0) {
      // what frozen rows end with
      if (isSigned(value, "watermark", keys, where, found) !== true) continue
      if (["seq", "row_hash", "row_hmac"].some((key) => value[key] !== link[key])) {
        found(where, "is not about the row before it")
      }
      newest = { seq: value.seq, time: value.time }
      unproven = { rows: 0, since: null }
    } else if (value.kind === "watermark" || Object.hasOwn(value, "statement")) {
      if (rows > 0 || watermark !== null) throw new Unusable(`${where}: one watermark is expected, before the rows`)
      watermark = value.kind === "watermark" ? value : parsed(value.statement)
      if (isSigned(watermark, "watermark", keys, "watermark", found) !== true) continue
      link = { seq: watermark.seq, row_hash: watermark.row_hash, row_hmac: watermark.row_hmac }
      begin = link.seq
      for (const seq of checkpoints.keys()) if (seq < link.seq) checkpoints.delete(seq)
      compare(link.seq, link.row_hash)
    } else if (!Object.hasOwn(value, "action")) {
      if (head !== null) found(where, "a second row of audit_head")
      head = value
    } else {
      const misfits = misfit(value, rowFields)
      if (!isCount(value.seq)) {
        found(where, `a row with the seq ${JSON.stringify(value.seq)}`)
        continue
      }
      const at = `row ${value.seq}`
      if (misfits !== null) found(at, misfits)
      if (value.seq <= link.seq) {
        found(at, rows === 0 ? `is there, though rows up to ${link.seq} were pruned` : `comes after row ${link.seq}`)
        continue
      }
      if (value.seq > link.seq + 1) {
        found(at, `${plural(value.seq - link.seq - 1, "row")} missing before it, which no watermark accounts for`)
      } else {
        if (value.row_hash !== hashOf(link.row_hash, value)) found(at, "row_hash does not fit: changed, or moved")
        if (value.prev_row_hmac !== link.row_hmac) found(at, "prev_row_hmac is not the row_hmac of the row before")
      }
      follow(value)
      rows++
      newestTime = value.occurred_at
      if (value.action === "audit.pruned") pruned = parsed(value.metadata)?.last_seq ?? pruned
      unproven = { rows: unproven.rows + 1, since: unproven.since ?? value.occurred_at }
      link = { seq: value.seq, row_hash: value.row_hash, row_hmac: value.row_hmac }
      compare(link.seq, link.row_hash, value.occurred_at)
    }
  }

  if (pruned > begin) {
    found("watermark", `the log records that rows up to ${pruned} were pruned, and row ${begin + 1} is present`)
  }
  if (watermark !== null && rows === 0) found("watermark", "pruning leaves a row, and there is none: the log was cut")
  if (head !== null && ["seq", "row_hash", "row_hmac"].some((key) => head[key] !== link[key])) {
    found("audit_head", `says that the newest row is row ${head.seq}, and it is row ${link.seq}, or has other hashes`)
  }
  if (rows > 0 && Object.hasOwn(head ?? {}, "occurred_at") && head.occurred_at !== newestTime) {
    found("audit_head", `says that the newest row is of ${head.occurred_at}, and it is of ${newestTime}`)
  }
  for (const [seq, list] of checkpoints) {
    const what = seq > link.seq ? `the log was cut at row ${link.seq}, or is an older copy` : "the row is missing"
    for (const { time, where } of list) found(where, `at ${time} there was a row ${seq}: ${what}`)
  }
  return { ahead, head, link, newest, rows, unproven, watermark }
}

const parsed = (text) => {
  try {
    const value = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/** What was read, and what could not be seen. */
const report = ({ ahead, head, link, newest, rows, unproven, watermark }, findings) => [
  ...(watermark === null ? [] : [`Rows up to ${watermark.seq} were pruned, by the watermark of ${watermark.time}.`]),
  rows === 0 ? "There are no rows." : `Read ${plural(rows, "row")}, up to row ${link.seq}.`,
  ...ahead.map(({ occurred_at, seq, time }) =>
    `Unexpected: row ${seq} has the time ${occurred_at}, and was signed for earlier, at ${time}.`
  ),
  ...(findings > 0 ? [] : unseen({ head, newest, unproven })),
  findings === 0 ? "ok" : `The log is broken: ${plural(findings, "finding")}.`
]

const unseen = ({ head, newest, unproven }) => [
  ...(head === null ? ["Not verified: the input had no audit_head."] : []),
  ...(newest === null
    ? [
      "Not verified: no checkpoint covers these rows. Anyone with write access to the database can produce such a log."
    ]
    : [
      `Rows up to row ${newest.seq} are as they were when that row was signed for, ${newest.time}.`,
      ...(unproven.rows === 0
        ? []
        : [`Not verified: who wrote the ${plural(unproven.rows, "row")} since, from ${unproven.since} on.`]),
      "Not verified: whether later rows were cut off."
    ])
]

/**
 * Prints the findings and the summary, line by line, and answers how many findings there are. `rows` and each file of
 * `checkpoints` are `{ name, lines }`, `publicKeys` are as on the command line.
 */
export const verifyAudit = async ({ checkpoints, print, publicKeys, rows }) => {
  let findings = 0
  const found = (where, what) => {
    findings++
    print(`broken: ${where}: ${what}`)
  }
  const keys = keysOf(publicKeys)
  if (keys.size === 0) throw new Unusable("--public-key is missing")
  const bySeq = new Map()
  for (const file of checkpoints) await readCheckpoints(file, keys, bySeq, found)
  const seen = await walk(rows, keys, bySeq, found)
  // As when the command that was to write the rows failed.
  if (seen.rows === 0 && seen.head === null && findings === 0) throw new Unusable("the input is empty")
  for (const line of report(seen, findings)) print(line)
  return findings
}

/** Opened when the first line is asked for: readline drops those that come before. */
async function* linesOf(open) {
  yield* createInterface({ input: open(), crlfDelay: Infinity })
}

const main = async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      "public-key": { type: "string", multiple: true },
      checkpoints: { type: "string", multiple: true },
      help: { type: "boolean" }
    }
  })
  if (values.help) return console.log(help)
  if (positionals.length > 1) throw new Unusable("one file of rows is expected")
  const file = (name) => ({ name, lines: linesOf(() => createReadStream(name)) })
  const findings = await verifyAudit({
    checkpoints: (values.checkpoints ?? []).map(file),
    print: console.log,
    publicKeys: values["public-key"] ?? [],
    rows: positionals.length === 0 ? { name: "input", lines: linesOf(() => process.stdin) } : file(positionals[0])
  })
  process.exitCode = findings === 0 ? 0 : 1
}

if (realpathSync(process.argv[1] ?? "/") === fileURLToPath(import.meta.url)) {
  await main().catch((error) => {
    // A file that cannot be read and an unknown option are errors with a code; any other one is a fault of ours.
    if (!(error instanceof Unusable) && error?.code === undefined) throw error
    console.error(`verify-audit: ${error.message}\n\n${help}`)
    process.exitCode = 2
  })
}
