import { iconPaths } from "./iconPaths.ts"
import { LineIcon } from "./LineIcon.tsx"

export type IconName = keyof typeof iconPaths

/** A line icon by its name. */
export const Icon = ({ className, name }: { readonly name: IconName; readonly className?: string }) => (
  <LineIcon path={iconPaths[name]} {...(className !== undefined && { className })} />
)
