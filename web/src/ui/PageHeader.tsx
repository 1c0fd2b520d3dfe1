import type { ReactNode } from "react"
import { useTabTitle } from "../shell/useTabTitle.ts"

/** The title of a page, also of the browser's tab, and what belongs beside it. */
export const PageHeader = ({ children, title }: { readonly title: string; readonly children?: ReactNode }) => {
  useTabTitle(title)
  return (
    <div className="flex flex-wrap items-center gap-3 px-4 pt-4 pb-3">
      <h1 className="text-title font-semibold">{title}</h1>
      {children}
    </div>
  )
}
