import { liveStream, useIsFollowed, useLiveStatus } from "../api/live.ts"
import { useReadAt } from "../api/readAt.ts"
import { useNow } from "../format/now.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"

/** An older moment is written with its day. */
const clockMillis = 12 * 3_600_000

/** When the page was last true. It is no status: a screen reader would say it at each read. */
const TrueAt = ({ at, isBesideWord }: {
  readonly at: number
  /** A phone has no room for both. */
  readonly isBesideWord: boolean
}) => {
  const { live: texts } = useTexts()
  const format = useFormat()
  const now = useNow()
  const time = now - at < clockMillis ? format.clock(at) : format.moment(at)
  return (
    <span
      className={`figures truncate ${isBesideWord ? "max-sm:sr-only" : ""}`}
      title={format.dateTime(at)}
      data-true-at={at}
    >
      <span className="inline-block first-letter:uppercase max-sm:sr-only">{texts.trueAt(time)}</span>
      <span className="sm:hidden" aria-hidden="true">{time}</span>
    </span>
  )
}

/**
 * Says how current the page is: live while the stream has each change of what it shows, else when it was last read. The
 * button stops all reads of every page.
 */
export const LiveControl = ({ hasStream }: { readonly hasStream: boolean }) => {
  const { live: texts } = useTexts()
  const status = useLiveStatus()
  const isFollowed = useIsFollowed()
  const readAt = useReadAt()
  const isPaused = status === "paused"
  const isLive = status === "live" && isFollowed
  /** Without a project there is no stream to wait for; a page that is read at intervals needs no word for it. */
  const word = isPaused || isLive || (hasStream && status === "connecting") ? texts[status] : null
  const trueAt = isLive ? 0 : Math.max(readAt, liveStream.syncedAt)
  return (
    <div className="flex min-w-0 items-center gap-1 text-soft">
      <span className="flex min-w-0 items-center gap-2 px-1" data-live={status}>
        <span
          aria-hidden="true"
          className={`size-2 shrink-0 rounded-full border border-current ${isLive ? "bg-current text-success" : ""} ${
            word === null ? "hidden" : ""
          }`}
        />
        <span role="status" className={isLive ? "max-sm:sr-only" : "min-w-0 truncate"}>{word}</span>
        {trueAt > 0 && <TrueAt at={trueAt} isBesideWord={word !== null} />}
      </span>
      <button
        type="button"
        aria-label={isPaused ? texts.resume : texts.pause}
        title={isPaused ? texts.resume : texts.pause}
        className="shrink-0 rounded-base p-2 hover:bg-hover hover:text-ink"
        onClick={() => liveStream.setPaused(!isPaused)}
      >
        <Icon name={isPaused ? "play" : "pause"} />
      </button>
    </div>
  )
}
