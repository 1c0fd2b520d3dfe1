import { iconPaths } from "./iconPaths.ts"

export type IconName = keyof typeof iconPaths

/** A line icon of 16 × 16, beside a word or within a control that has a name. */
export const Icon = ({ className = "", name }: { readonly name: IconName; readonly className?: string }) => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
    className={`shrink-0 ${className}`}
  >
    <path d={iconPaths[name]} />
  </svg>
)
