import { maxFacetValues, type TaskFacetCounts } from "../../domain/tasks/Task/Facets.ts"

/** The counts of rows `[facet, value, tasks]`. The rows `read` and `counted` have the numbers of tasks. */
export const toFacetCounts = (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  mostRead: number
): TaskFacetCounts => {
  const numberOf = (facet: string) => Number(rows.find(([name]) => name === facet)?.[2] ?? 0)
  const valuesOf = (facet: string) =>
    rows
      .filter(([name, value]) => name === facet && value !== null)
      .map(([, value, tasks]) => ({ value: String(value), count: Number(tasks) }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, maxFacetValues)
  return {
    counted: numberOf("counted"),
    is_complete: rows.length === 0 || numberOf("read") < mostRead,
    state: valuesOf("state"),
    name: valuesOf("name"),
    queue: valuesOf("queue"),
    worker: valuesOf("worker_name"),
    engine: valuesOf("engine")
  }
}
