// Two of the paths of iconPaths.ts: the first script shows these icons, and loads without the others.
export const closePath = "M18 6 6 18M6 6l12 12"
export const copyPath =
  "M10 8h10a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2h-10a2 2 0 0 1-2-2v-10a2 2 0 0 1 2-2M4 16c-1.1 0-2-.9-2-2V4c0-1.1.9-2 2-2h10c1.1 0 2 .9 2 2"

/** A line icon of 16 × 16, beside a word or within a control that has a name. */
export const LineIcon = ({ className = "", path }: { readonly path: string; readonly className?: string }) => (
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
    <path d={path} />
  </svg>
)
