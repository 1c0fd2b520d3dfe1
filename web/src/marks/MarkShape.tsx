import type { MarkKind } from "./marks.ts"

/** Each kind has a shape of its own; colours are those of tasks. */
const shapes: Readonly<Record<MarkKind, React.ReactNode>> = {
  deploy: <path d="M7 1.5 13 12.5H1Z" fill="currentColor" />,
  command: <circle cx="7" cy="7" r="4.5" fill="currentColor" />,
  rule: <path d="M7 1 13 7 7 13 1 7Z" />,
  missed_run: <path d="m2.5 2.5 9 9m0-9-9 9" />,
  maintenance: <rect x="1.5" y="4" width="11" height="6" />
}

export const MarkShape = ({ kind }: { readonly kind: MarkKind }) => (
  <svg
    width="12"
    height="12"
    viewBox="0 0 14 14"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.6"
    strokeLinejoin="round"
    strokeLinecap="round"
    aria-hidden="true"
    className="shrink-0"
  >
    {shapes[kind]}
  </svg>
)
