import { connect } from "node:net"

/**
 * The readers of the streams bench: opens `count` live streams one after the other and reads them. Prints `open` when
 * each of them has its head, and answers each line on its standard input with what was read since the last, as JSON.
 */
const [url = "", token = "", slug = "", count = "0"] = process.argv.slice(2)
const { hostname, port } = new URL(url)
const head =
  `GET /api/v1/projects/${slug}/stream HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`

const read = { bytes: 0, ended: 0, tasks: 0, resets: 0 }

const occurrences = (text: string, part: string): number => text.split(part).length - 1

/** Only the first stream's events are counted: counting takes time, and all get the same. */
const open = (isFirst: boolean) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(head))
    socket.once(
      "data",
      (chunk) => (String(chunk).startsWith("HTTP/1.1 200") ? resolve() : reject(new Error(String(chunk))))
    )
    socket.on("data", (chunk) => {
      read.bytes += chunk.length
      if (!isFirst) return
      const text = chunk.toString("latin1")
      read.tasks += occurrences(text, "event: task")
      read.resets += occurrences(text, "event: reset")
    })
    socket.on("error", () => {})
    socket.on("close", () => read.ended++)
  })

for (let index = 0; index < Number(count); index++) await open(index === 0)
console.log("open")
process.stdin.on("data", () => {
  console.log(JSON.stringify(read))
  Object.assign(read, { bytes: 0, tasks: 0, resets: 0 })
})
process.stdin.on("end", () => process.exit(0))
