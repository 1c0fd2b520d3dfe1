import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { useIsLost } from "../api/connection.ts"
import { liveStream } from "../api/live.ts"
import { useReadAt } from "../api/readAt.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { LiveControl } from "./LiveControl.tsx"
import { WallNotice } from "./WallNotice.tsx"

const LostNotice = () => {
  const { wall: texts } = useTexts()
  const format = useFormat()
  const isLost = useIsLost()
  const trueAt = Math.max(useReadAt(), liveStream.syncedAt)
  if (!isLost) return null
  return <WallNotice>{trueAt > 0 ? texts.lostSince(format.moment(trueAt)) : texts.lost}</WallNotice>
}

/** A page for a screen on a wall: no navigation, large type, and how current it is. */
export const Wall = ({ children, name }: {
  /** Of the project. */
  readonly name: string
  readonly children: ReactNode
}) => {
  const { wall: texts } = useTexts()
  return (
    <div className="flex h-dvh flex-col">
      <LostNotice />
      <header className="flex shrink-0 flex-wrap items-center gap-4 border-b border-line px-4 py-2 text-large">
        <span className="font-semibold">{name}</span>
        <LiveControl hasStream />
        <Link to="." search={(known) => ({ ...known, wall: undefined })} className="ml-auto text-soft underline">
          {texts.leave}
        </Link>
      </header>
      <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto outline-none">
        {/* 13 pixels of 720, and as large a part of 1080 and 2160 */}
        <div className="h-full min-[1600px]:[zoom:1.4] min-[3000px]:[zoom:2.8]">{children}</div>
      </main>
    </div>
  )
}
