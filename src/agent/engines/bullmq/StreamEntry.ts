/** One entry of a queue's event stream, as BullMQ writes them. */
export interface StreamEntry {
  /** `<milliseconds>-<count within it>`, of Redis's clock. */
  readonly id: string
  /** `added`, `active`, `completed` … */
  readonly event: string
  readonly jobId: string
  readonly fields: ReadonlyMap<string, string>
}

/** The entries of one stream in a reply of `XREAD`. */
export type RawEntries = ReadonlyArray<readonly [id: string, fields: ReadonlyArray<string>]>

export const entriesOf = (raw: RawEntries): ReadonlyArray<StreamEntry> =>
  raw.map(([id, list]) => {
    const fields = new Map<string, string>()
    for (let index = 0; index + 1 < list.length; index += 2) fields.set(list[index]!, list[index + 1]!)
    return { id, event: fields.get("event") ?? "", jobId: fields.get("jobId") ?? "", fields }
  })

/** Epoch milliseconds; entries of one millisecond keep their order in the fraction. */
export const epochMillisOf = (id: string): number => {
  const [millis = "0", count = "0"] = id.split("-")
  return Number(millis) + Math.min(Number(count), 999) / 1000
}
