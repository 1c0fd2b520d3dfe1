import type WebSocket from "ws"

/**
 * Hands a socket's messages and pings to a session in their order, and can be paused.
 *
 * A pause stops the reading of the socket, so that TCP holds the agent back. The WebSocket library still delivers the
 * messages of the bytes that it has already read; those wait in the backlog. One read brings at most 64 KiB, so the
 * backlog stays that small.
 *
 * Each `pause` needs its `resume`. Pauses nest: a frame that a thread decodes pauses the reader, and its batch may then
 * meet a full ingest.
 */
export class SocketReader {
  private pauses = 0
  private isClosed = false
  private readonly backlog: Array<() => void> = []

  constructor(
    private readonly ws: Pick<WebSocket, "pause" | "resume">,
    private readonly handleMessage: (data: Buffer) => void,
    private readonly handlePing: (data: Buffer) => void
  ) {}

  get isPaused(): boolean {
    return this.pauses > 0
  }

  receive(data: Buffer): void {
    if (this.isClosed) return
    if (this.isPaused) this.backlog.push(() => this.handleMessage(data))
    else this.handleMessage(data)
  }

  receivePing(data: Buffer): void {
    if (this.isClosed) return
    if (this.isPaused) this.backlog.push(() => this.handlePing(data))
    else this.handlePing(data)
  }

  pause(): void {
    if (this.pauses++ === 0 && !this.isClosed) this.ws.pause()
  }

  /** Handles the backlog, and reads on unless one of its messages pauses or closes the session again. */
  resume(): void {
    if (--this.pauses > 0) return
    while (this.backlog.length > 0 && this.isReading()) this.backlog.shift()?.()
    if (this.isReading()) this.ws.resume()
  }

  /** Drops the backlog and all messages that still come. */
  close(): void {
    this.isClosed = true
    this.backlog.length = 0
  }

  private isReading(): boolean {
    return !this.isPaused && !this.isClosed
  }
}
