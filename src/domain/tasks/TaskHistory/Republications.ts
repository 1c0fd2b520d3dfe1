import type { HistoryEntry } from "./History.ts"

/**
 * How often Celery published the task again for a retry; two reports of one moment count once. A first publication
 * under another name is `self.replace()`, which is not a retry.
 */
export const countRepublications = (receipts: ReadonlyArray<HistoryEntry>): number => {
  let count = 0
  let previous = ""
  const names = new Set<string>()
  for (const { at, name, republished } of receipts) {
    if (at === previous) continue
    previous = at
    const replaces = names.size > 0 && !names.has(name)
    names.add(name)
    if (republished && !replaces) count++
  }
  return count
}
