import { readdirSync, readFileSync } from "node:fs"

/** What a process holds at a moment; memory in MiB. */
export interface ProcessSample {
  readonly rss: number
  readonly heap: number
  readonly handles: number
  readonly threads: number
  /** Milliseconds, the 99th percentile since the scrape before. */
  readonly lag: number
}

const mebibyte = 1024 * 1024

const valueOf = (text: string, metric: string): number =>
  Number(new RegExp(`^${metric} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN)

/** Reads /proc and /metrics; null while the brain is away. */
export const sampleProcess = async (pid: number, url: string, metricsToken: string): Promise<ProcessSample | null> => {
  try {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
    const text = await response.text()
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return {
      rss: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024,
      heap: valueOf(text, "nodejs_heap_size_used_bytes") / mebibyte,
      handles: readdirSync(`/proc/${pid}/fd`).length,
      threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1]),
      lag: valueOf(text, "nodejs_eventloop_lag_p99_seconds") * 1000
    }
  } catch {
    return null
  }
}

/** A value at a minute of the run. */
export type Point = readonly [minute: number, value: number]

const mean = (points: ReadonlyArray<Point>) => points.reduce((sum, [, value]) => sum + value, 0) / points.length

const rounded = (value: number) => Number(value.toFixed(value < 10 ? 2 : 1))

/** Means of the first and the last third, the highest value, and the slope of the least squares for each minute. */
export const trendOf = (points: ReadonlyArray<Point>) => {
  const third = Math.floor(points.length / 3)
  if (third === 0) return null
  const minutes = mean(points.map(([minute]) => [0, minute]))
  const values = mean(points)
  const spread = points.reduce((sum, [minute]) => sum + (minute - minutes) ** 2, 0)
  const slope = points.reduce((sum, [minute, value]) => sum + (minute - minutes) * (value - values), 0) / spread
  return {
    first: rounded(mean(points.slice(0, third))),
    last: rounded(mean(points.slice(-third))),
    highest: rounded(Math.max(...points.map(([, value]) => value))),
    perMinute: Number(slope.toPrecision(2))
  }
}
