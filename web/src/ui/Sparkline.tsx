const barWidth = 3
const height = 20

/** Counts as bars from the axis, without words: the numbers are beside it. */
export const Sparkline = ({ className = "", counts }: {
  readonly counts: ReadonlyArray<number>
  readonly className?: string
}) => {
  const highest = Math.max(1, ...counts)
  return (
    <svg
      aria-hidden="true"
      width={counts.length * (barWidth + 1)}
      height={height}
      className={`inline-block align-middle ${className}`}
    >
      {counts.map((count, index) => {
        const bar = count === 0 ? 1 : Math.max(2, (count / highest) * height)
        return (
          <rect
            key={index}
            x={index * (barWidth + 1)}
            y={height - bar}
            width={barWidth}
            height={bar}
            fill="currentColor"
            opacity={count === 0 ? 0.25 : 1}
          />
        )
      })}
    </svg>
  )
}
