import { liveStream, useLiveStatus } from "../api/live.ts"
import { useFormat } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { Icon } from "../ui/Icon.tsx"

/** Says whether the page is current, or since when it is not; the button pauses its reads. */
export const LiveControl = ({ hasStream }: { readonly hasStream: boolean }) => {
  const { live: texts } = useTexts()
  const format = useFormat()
  const status = useLiveStatus()
  const isPaused = status === "paused"
  return (
    <div className="flex min-w-0 items-center gap-2 text-soft">
      {(hasStream || isPaused) && (
        <span role="status" className="flex min-w-0 items-center gap-3 px-2" data-live={status}>
          <span
            aria-hidden="true"
            className={`size-[8px] shrink-0 rounded-full border border-current ${
              status === "live" ? "bg-current text-success" : ""
            }`}
          />
          <span className={status === "live" ? "max-sm:sr-only" : "truncate"}>
            {texts[status]}
            {status !== "live" && (
              <span className="figures">{` ${texts.trueAt(format.clock(liveStream.lastSyncedAt))}`}</span>
            )}
          </span>
        </span>
      )}
      <button
        type="button"
        aria-label={isPaused ? texts.resume : texts.pause}
        title={isPaused ? texts.resume : texts.pause}
        className="shrink-0 rounded-base p-3 hover:bg-hover hover:text-ink"
        onClick={() => liveStream.setPaused(!isPaused)}
      >
        <Icon name={isPaused ? "play" : "pause"} />
      </button>
    </div>
  )
}
