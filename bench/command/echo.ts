import WebSocket from "ws"

/** The agent that a bare driver is measured with: sends each message back at once. `node echo.mjs <port>` */
const socket = new WebSocket(`ws://127.0.0.1:${process.argv[2]}`)
socket.on("message", (data) => socket.send(data))
