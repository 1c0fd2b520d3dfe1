import { Agent, request } from "undici"

/** The bare limit: the same posts without a brain. `node poster.mjs <count> <in flight> <body> <url>…` */
const [count = "", inFlight = "", body = "", ...urls] = process.argv.slice(2)
const dispatcher = new Agent({ connections: 256 })
let next = 0
await Promise.all(Array.from({ length: Number(inFlight) }, async () => {
  for (let at = next++; at < Number(count); at = next++) {
    const headers = { "content-type": "application/json; charset=utf-8", "webhook-id": String(at) }
    const answer = await request(urls[at % urls.length] ?? "", { method: "POST", headers, body, dispatcher })
    await answer.body.text()
  }
}))
await dispatcher.close()
