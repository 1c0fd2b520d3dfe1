/** The windows of an overview's charts. */
export const overviewWindows = ["1h", "6h", "24h", "72h", "7d", "30d", "90d"] as const
export type OverviewWindow = (typeof overviewWindows)[number]

/** What the address of a page with charts keeps. */
export interface OverviewSearch {
  readonly window?: OverviewWindow | undefined
  /** With the week before. */
  readonly compare?: true | undefined
}

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

/** What a window is compared with: hours at the least, and of one hour the hours that it lies in. */
export const pastWindows = {
  "1h": { window: "6h", bucket: "1h" },
  "6h": { window: "6h", bucket: "1h" },
  "24h": { window: "24h", bucket: "1h" },
  "72h": { window: "72h", bucket: "1h" },
  "7d": { window: "7d", bucket: "1h" },
  "30d": { window: "30d", bucket: "1d" },
  "90d": { window: "90d", bucket: "1d" }
} as const satisfies Record<OverviewWindow, { readonly window: OverviewWindow; readonly bucket: string }>

export const windowHours = { "1h": 1, "6h": 6, "24h": 24, "72h": 72, "7d": 168, "30d": 720, "90d": 2160 } as const
