/** A share of a whole as a bar, without words: the numbers are beside it. */
export const Meter = ({ isBad = false, share }: {
  /** From 0 to 1. */
  readonly share: number
  readonly isBad?: boolean
}) => (
  <span aria-hidden="true" className="mr-2 inline-block h-1 w-9 rounded-small bg-press align-middle max-md:hidden">
    <span
      className={`block h-full rounded-small ${isBad ? "bg-failure" : "bg-ink"}`}
      style={{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }}
    />
  </span>
)
