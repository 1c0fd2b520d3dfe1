/** The windows of an overview's charts. */
export const overviewWindows = ["1h", "6h", "24h", "72h", "7d", "30d", "90d"] as const
export type OverviewWindow = (typeof overviewWindows)[number]

/** The finest bucket that draws at most 200 points, beyond which there are no percentiles (docs/trends.md). */
export const buckets = {
  "1h": "1m",
  "6h": "5m",
  "24h": "15m",
  "72h": "1h",
  "7d": "1h",
  "30d": "1d",
  "90d": "1d"
} as const satisfies Record<OverviewWindow, string>

export const windowHours = { "1h": 1, "6h": 6, "24h": 24, "72h": 72, "7d": 168, "30d": 720, "90d": 2160 } as const
