import { randomUUID } from "node:crypto"
import type { Row } from "./BufferFile.ts"

/** What goes into one frame: canonical texts of events, joined by commas. */
export interface Parcel {
  readonly id: string
  readonly bodies: ReadonlyArray<string>
}

export interface Sent {
  readonly events: number
  /** Ids in the buffer file. */
  readonly rows: ReadonlyArray<number>
  /** Events that never reached the file, since it takes none. */
  readonly texts: ReadonlyArray<string>
  readonly sentAt: number
}

const MOST = 16

/** Parcels that were sent and not acknowledged, in the order in which they were sent. */
export class InFlight {
  private readonly sent = new Map<string, Sent>()

  get isFull(): boolean {
    return this.sent.size >= MOST
  }

  /** When the oldest was sent. */
  get oldestAt(): number | null {
    for (const { sentAt } of this.sent.values()) return sentAt
    return null
  }

  add(rows: ReadonlyArray<Row>, texts: ReadonlyArray<string>, sentAt: number): Parcel {
    const id = `ev_${randomUUID().replaceAll("-", "")}`
    const events = rows.reduce((sum, row) => sum + row.events, texts.length)
    this.sent.set(id, { events, rows: rows.map((row) => row.id), texts, sentAt })
    return { id, bodies: [...rows.map(({ body }) => body), ...texts] }
  }

  get(id: string): Sent | undefined {
    return this.sent.get(id)
  }

  remove(id: string): void {
    this.sent.delete(id)
  }

  /** Empties it; answers what was sent from memory alone. */
  clear(): ReadonlyArray<string> {
    const texts = [...this.sent.values()].flatMap(({ texts }) => texts)
    this.sent.clear()
    return texts
  }
}
