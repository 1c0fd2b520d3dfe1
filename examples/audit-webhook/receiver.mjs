/**
 * Receives the rows of a brain's audit log (docs/audit-webhook.md). No dependencies; Node 20 or later.
 * Run: SECRET='the value of SVC_AUDIT_WEBHOOK_HMAC_SECRET' node receiver.mjs 8080
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"

const skewSeconds = 300
const mostBytes = 1024 * 1024

const isSigned = (secret, timestamp, body, signature) => {
  const expected = Buffer.from(
    `sha256=${createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")}`
  )
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const bodyOf = async (request) => {
  const chunks = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    if (size > mostBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * A server that hands each row to `onRow` once: `secret` is the brain's, `now` returns the time in milliseconds. Any
 * invalid request gets 401 without a reason.
 */
export const receiver = ({ secret, onRow, now = Date.now }) => {
  /** Row ids seen within the time that their timestamps are good for, and until when. */
  const seen = new Map()

  const accept = async (request) => {
    const { "x-svc-audit-schema": schema, "x-svc-audit-signature": signature, "x-svc-audit-timestamp": timestamp } =
      request.headers
    if (request.method !== "POST" || schema !== "1" || signature === undefined || !/^\d{1,12}$/.test(timestamp ?? "")) {
      return false
    }
    const seconds = now() / 1000
    if (Math.abs(seconds - Number(timestamp)) > skewSeconds) return false
    const body = await bodyOf(request)
    if (body === null || !isSigned(secret, timestamp, body, signature)) return false
    const row = JSON.parse(body) // only after the signature is verified
    for (const [id, until] of seen) {
      if (until >= seconds) break
      seen.delete(id)
    }
    if (seen.has(row.id)) return false
    seen.set(row.id, seconds + 2 * skewSeconds)
    await onRow(row)
    return true
  }

  return createServer((request, response) => {
    accept(request).then(
      (accepted) => response.writeHead(accepted ? 204 : 401).end(),
      () => response.writeHead(500).end() // onRow failed: its own log says why
    )
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = receiver({
    secret: process.env.SECRET ?? "",
    onRow: (row) => process.stdout.write(`${JSON.stringify(row)}\n`)
  })
  server.listen(Number(process.argv[2] ?? 8080))
}
