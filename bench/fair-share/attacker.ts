import { connect } from "node:net"

/**
 * One viewer who takes all that the brain gives: 40 connections that read pages of 500 one after the other, 40 that search for
 * what is not there, 40 CSV exports and 40 pages that are never read, and 2 000 pipelined requests. A connection that is closed
 * is opened again after 100 ms. Runs until it is killed.
 */
const [, , url = "", token = "", large = "", searched = ""] = process.argv
const { hostname, port } = new URL(url)

const textOf = (path: string) =>
  `GET /api/v1/projects/${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`

const dial = (begin: (socket: ReturnType<typeof connect>) => void): void => {
  const socket = connect(Number(port), hostname, () => begin(socket))
  socket.on("error", () => {}).once("close", () => setTimeout(() => dial(begin), 100))
}

const end = Buffer.from("0\r\n\r\n")

/** Sends the request again once a response has ended. */
const reading = (pathOf: (count: number) => string) => (socket: ReturnType<typeof connect>) => {
  let count = 0
  let left: number | null = null
  const send = () => {
    left = null
    socket.write(textOf(pathOf(count++)))
  }
  socket.on("data", (chunk: Buffer) => {
    if (left === null) {
      const headEnd = chunk.indexOf("\r\n\r\n")
      const length = /content-length: (\d+)/i.exec(chunk.toString("latin1", 0, Math.max(0, headEnd)))?.[1]
      left = length === undefined ? Infinity : Number(length) - (chunk.length - headEnd - 4)
    } else left -= chunk.length
    if (left <= 0 || (left === Infinity && chunk.subarray(-end.length).equals(end))) send()
  })
  send()
}

const unread = (text: string) => (socket: ReturnType<typeof connect>) => {
  socket.pause()
  socket.write(text)
}

for (let index = 0; index < 40; index++) {
  dial(reading(() => `${large}/tasks?limit=500`))
  dial(reading((count) => `${searched}/tasks?search=missing-${index}-${count}`))
  dial(unread(textOf(`${searched}/tasks?format=csv`)))
  dial(unread(textOf(`${large}/tasks?limit=500`)))
}
dial(unread(textOf(`${large}/tasks`).repeat(2000)))
