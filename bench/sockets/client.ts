import { WebSocket } from "ws"

/**
 * The client of the sockets bench. `echo` sends `count` messages of 600 bytes over each of `sockets` connections, 256
 * of them unanswered at a time, and prints the seconds from the first message to the last answer. `flood` sends until
 * it is killed.
 */
const [url = "", mode = "echo", sockets = "1", count = "0"] = process.argv.slice(2)
const inFlight = 256
const maxBufferedBytes = 1024 * 1024
const message = Buffer.from(JSON.stringify({ v: 2, type: "event_batch", payload: "x".repeat(560) }))

const connect = () =>
  new Promise<WebSocket>((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.once("open", () => resolve(socket))
    socket.once("error", reject)
  })

const echo = (socket: WebSocket, messages: number) =>
  new Promise<void>((resolve) => {
    let sent = 0
    let answered = 0
    const send = () => {
      sent++
      socket.send(message)
    }
    socket.on("message", () => {
      if (++answered === messages) resolve()
      else if (sent < messages) send()
    })
    while (sent < Math.min(inFlight, messages)) send()
  })

const flood = (socket: WebSocket): void => {
  while (socket.bufferedAmount < maxBufferedBytes) socket.send(message)
  setTimeout(() => flood(socket), 1)
}

const open = await Promise.all(Array.from({ length: Number(sockets) }, connect))
if (mode === "flood") open.forEach(flood)
else {
  const begin = performance.now()
  await Promise.all(open.map((socket) => echo(socket, Number(count))))
  console.log((performance.now() - begin) / 1000)
  process.exit(0)
}
