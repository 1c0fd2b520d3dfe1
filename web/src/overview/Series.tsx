import type { Values } from "./chartData.ts"

export interface Series {
  readonly label: string
  /** A colour of theme/tokens.css. */
  readonly colour: string
  readonly values: Values
  /** Dashes distinguish series without their colour. */
  readonly dash?: ReadonlyArray<number>
  readonly isFilled?: boolean
  /** Bars from the axis, for counts that are mostly zero. */
  readonly isBars?: boolean
  /** Of another time, for comparison. */
  readonly isPale?: boolean
}

/** In pixels, with its axes; the same while it is read, and without any value. */
export const chartHeight = 168

export const writeValue = (value: number | null | undefined, formatValue: (value: number) => string) =>
  value === null || value === undefined ? "–" : formatValue(value)

/** The line of a series in a legend. */
export const Swatch = ({ series: { colour, dash, isPale = false } }: { readonly series: Series }) => (
  <svg width="16" height="8" aria-hidden="true" className={`shrink-0 text-${colour} ${isPale ? "opacity-45" : ""}`}>
    <path d="M0 4h16" stroke="currentColor" strokeWidth="2" strokeDasharray={dash?.join(" ")} />
  </svg>
)
