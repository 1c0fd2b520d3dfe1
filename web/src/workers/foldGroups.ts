import type { Worker } from "./workers.ts"

export type Line = { readonly worker: Worker; readonly folded: ReadonlyArray<Worker> }

/**
 * The workers in their order. Those of one group that are not online are one line, at the place of the first one: pods
 * that come and go would fill the list. The lines of an opened group follow it.
 */
export const foldGroups = (lines: ReadonlyArray<Line>, opened: ReadonlySet<string>): ReadonlyArray<Line> => {
  const workers = lines.map(({ worker }) => worker)
  const away = new Map<string, Array<Worker>>()
  for (const worker of workers) {
    if (worker.state === "online") continue
    const members = away.get(keyOf(worker)) ?? []
    members.push(worker)
    away.set(keyOf(worker), members)
  }
  return workers.flatMap((worker): ReadonlyArray<Line> => {
    const folded = worker.state === "online" ? [] : away.get(keyOf(worker)) ?? []
    if (folded.length < 2) return [{ worker, folded: [] }]
    if (folded[0] !== worker) return []
    return [
      { worker, folded },
      ...opened.has(keyOf(worker)) ? folded.map((each) => ({ worker: each, folded: [] })) : []
    ]
  })
}

export const keyOf = ({ engine, group, state }: Worker): string => `${engine} ${state} ${group}`
