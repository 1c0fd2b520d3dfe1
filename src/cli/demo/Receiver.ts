import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { renderPage } from "../../http/Html/HtmlPage.ts"

export interface Receiver {
  readonly port: number
  readonly url: string
}

/** What the channel of the demo got, newest first. */
type Messages = Array<string>

const maxMessages = 50
const maxBodyBytes = 262_144

const escapeHtml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;")

const format = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

const render = (messages: Messages) =>
  renderPage({
    title: "Messages of the demo",
    css: "main { width: min(60rem, 100%) } pre { overflow-x: auto; font: 0.75rem/1.125rem ui-monospace, monospace }",
    sections: `<h1>Messages of the demo</h1>
<p>A webhook that the channel “ops” sends to. Reload the page for newer messages. They end with the demo.</p>
${
      messages.length === 0
        ? "<p>None yet.</p>"
        : messages.map((message) => `<pre>${escapeHtml(message)}</pre>`).join("\n")
    }`
  })

const readBody = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  let size = 0
  for await (const part of request) {
    size += part.length
    if (size <= maxBodyBytes) parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

const respond = async (messages: Messages, request: IncomingMessage, response: ServerResponse) => {
  if (request.method === "POST") {
    messages.unshift(format(await readBody(request)))
    messages.length = Math.min(messages.length, maxMessages)
    return response.writeHead(204).end()
  }
  const { html, policy } = render(messages)
  return response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": policy })
    .end(html)
}

/** A webhook on this machine, at a free port, that shows what it got. */
export const makeReceiver = Effect.gen(function*() {
  const messages: Messages = []
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createServer((request, response) => void respond(messages, request, response).catch(() => response.destroy()))
    ),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )
  const port = yield* Effect.async<number>((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
  return { port, url: `http://127.0.0.1:${port}/` } satisfies Receiver
})
