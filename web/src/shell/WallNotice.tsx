import type { ReactNode } from "react"

/** Readable from afar: nobody at a wall presses a button to learn that what it shows is old, or why it shows nothing. */
export const WallNotice = ({ children }: { readonly children: ReactNode }) => (
  <p role="alert" className="bg-failure px-6 py-4 text-center text-[32px] leading-tight font-semibold text-inverse">
    {children}
  </p>
)
