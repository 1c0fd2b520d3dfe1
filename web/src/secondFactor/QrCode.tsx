import { encode } from "uqr"

/** The path of the dark modules, each row in runs. */
const pathOf = (rows: ReadonlyArray<ReadonlyArray<boolean>>): string =>
  rows.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("")).join("")

/** The text as a QR code. Dark on light in both themes: many cameras read no inverted code. */
export const QrCode = ({ label, text }: { readonly label: string; readonly text: string }) => {
  const { data, size } = encode(text, { border: 4 }) // the quiet zone of ISO/IEC 18004
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-50 shrink-0 rounded-base border border-line"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={pathOf(data)} fill="#000" />
    </svg>
  )
}
