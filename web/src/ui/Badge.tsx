import type { ReactNode } from "react"

const tones = {
  /** How much waits for the person. */
  count: "figures min-w-4.5 rounded-full bg-accent text-center font-medium text-inverse",
  note: "rounded-small border border-line text-retry"
} as const

/** A number or a word beside what it is about. */
export const Badge = ({ children, className = "", title, tone = "count" }: {
  readonly tone?: keyof typeof tones
  readonly title?: string
  readonly className?: string
  readonly children: ReactNode
}) => <span title={title} className={`px-1 text-small ${tones[tone]} ${className}`}>{children}</span>
