import type { Mark } from "./marks.ts"

/** Marks in one place of a chart. */
export interface MarkCluster {
  /** Of the first one, in pixels. */
  readonly left: number
  readonly marks: ReadonlyArray<Mark>
}

/** Marks that are closer together than `gap` pixels, as one; the marks are oldest first. */
export const clusterMarks = (
  marks: ReadonlyArray<Mark>,
  placeOf: (mark: Mark) => number,
  gap: number
): ReadonlyArray<MarkCluster> => {
  const clusters: Array<{ readonly left: number; readonly marks: Array<Mark> }> = []
  for (const mark of marks) {
    const left = placeOf(mark)
    const last = clusters.at(-1)
    if (last !== undefined && left - last.left < gap) last.marks.push(mark)
    else clusters.push({ left, marks: [mark] })
  }
  return clusters
}
