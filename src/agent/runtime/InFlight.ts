import { randomUUID } from "node:crypto"
import type { BufferRow } from "./BufferFile.ts"

/** The events of one frame: canonical texts, joined by commas. */
export interface OutgoingBatch {
  readonly id: string
  readonly bodies: ReadonlyArray<string>
}

export interface SentBatch {
  readonly events: number
  /** Ids in the buffer file. */
  readonly rows: ReadonlyArray<number>
  /** Events that are only in memory, because the file cannot be written. */
  readonly texts: ReadonlyArray<string>
  readonly sentAt: number
}

const MAX_IN_FLIGHT = 16

/** Parcels that were sent and not acknowledged, in the order in which they were sent. */
export class InFlight {
  private readonly batches = new Map<string, SentBatch>()

  get isFull(): boolean {
    return this.batches.size >= MAX_IN_FLIGHT
  }

  /** When the oldest was sent. */
  get oldestSentAt(): number | null {
    for (const { sentAt } of this.batches.values()) return sentAt
    return null
  }

  add(rows: ReadonlyArray<BufferRow>, texts: ReadonlyArray<string>, sentAt: number): OutgoingBatch {
    const id = `ev_${randomUUID().replaceAll("-", "")}`
    const events = rows.reduce((sum, row) => sum + row.events, texts.length)
    this.batches.set(id, { events, rows: rows.map((row) => row.id), texts, sentAt })
    return { id, bodies: [...rows.map(({ body }) => body), ...texts] }
  }

  get(id: string): SentBatch | undefined {
    return this.batches.get(id)
  }

  remove(id: string): void {
    this.batches.delete(id)
  }

  /** Empties it; returns the events that are only in memory. */
  clear(): ReadonlyArray<string> {
    const texts = [...this.batches.values()].flatMap(({ texts }) => texts)
    this.batches.clear()
    return texts
  }
}
