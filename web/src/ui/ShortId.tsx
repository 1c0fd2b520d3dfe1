import { shortId } from "../format/shortId.ts"
import { CopyButton } from "./CopyButton.tsx"

/** Eight characters of an id, and a button that copies all of it. */
export const ShortId = ({ id }: { readonly id: string }) => (
  <span className="inline-flex items-center whitespace-nowrap text-soft">
    <span className="font-mono text-small" title={id}>{shortId(id)}</span>
    <CopyButton text={id} label={id} />
  </span>
)
