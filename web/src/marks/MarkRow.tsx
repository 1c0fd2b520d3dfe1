import { Link } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useActionName } from "../commands/useActionName.ts"
import type { Format } from "../format/useFormat.ts"
import { useTexts } from "../i18n/Language.tsx"
import { linkClass } from "../ui/TextLink.tsx"
import { Toolbar } from "../ui/Toolbar.tsx"
import { clusterMarks, type MarkCluster } from "./clusterMarks.ts"
import { type Mark, markKinds, type ShownMarks } from "./marks.ts"
import { MarkShape } from "./MarkShape.tsx"

/** Where a chart draws its lines, in pixels of its element, and the time of its edges in epoch milliseconds. */
export interface Frame {
  readonly left: number
  readonly width: number
  readonly top: number
  readonly height: number
  readonly from: number
  readonly to: number
}

/** Marks that are closer together are one flag: each is a target of 24 pixels (WCAG 2.2, 2.5.8). */
const flagGap = 24
/** Pixels between a flag and what it says. */
const noteGap = 14
const maxNoted = 6

/** What a mark says in one line. */
const useMarkText = (format: Format) => {
  const { overview: { marks: texts } } = useTexts()
  const nameAction = useActionName()
  return ({ at, count, detail, kind, title, until }: Mark): string => {
    const what = kind === "command" ? nameAction(title) : title
    const more = kind === "rule" || detail === null ? "" : ` · ${detail}`
    const times = count > 1 ? ` × ${format.number(count)}` : ""
    const end = until === null ? "" : ` – ${format.moment(Date.parse(until))}`
    return `${texts.kinds[kind]}: ${what}${times}${more} · ${format.moment(Date.parse(at))}${end}`
  }
}

const MarkLink = ({ children, mark: { id, kind, url }, slug }: {
  readonly slug: string
  readonly mark: Mark
  readonly children: ReactNode
}) => {
  const className = linkClass.text
  const params = { slug }
  switch (kind) {
    case "deploy":
      return url === null
        ? (
          <Link to="/projects/$slug/activity" params={params} search={{ prefix: "deploy." }} className={className}>
            {children}
          </Link>
        )
        : <a href={url} target="_blank" rel="noreferrer" className={className}>{children}</a>
    case "command":
      return <Link to="/projects/$slug/commands" params={params} className={className}>{children}</Link>
    case "rule":
      return (
        <Link to="/projects/$slug/automation/$ruleId" params={{ slug, ruleId: id }} className={className}>
          {children}
        </Link>
      )
    case "missed_run":
      return (
        <Link to="/projects/$slug/schedules/$scheduleId" params={{ slug, scheduleId: id }} className={className}>
          {children}
        </Link>
      )
    case "maintenance":
      return (
        <Link to="/projects/$slug/notifications" params={params} search={{ part: "maintenance" }} className={className}>
          {children}
        </Link>
      )
  }
}

/** What the marks of a flag are: under the pointer and the focus, and with links once the flag is pressed. */
const MarkNote = ({ cluster: { left, marks }, frame, isPinned, slug, textOf }: {
  readonly cluster: MarkCluster
  readonly frame: Frame
  readonly isPinned: boolean
  readonly slug: string
  readonly textOf: (mark: Mark) => string
}) => {
  const { common } = useTexts()
  const isInLeftHalf = left < frame.left + frame.width / 2
  const width = frame.left + frame.width
  return (
    <ul
      data-marks="note"
      aria-hidden={!isPinned}
      className={`absolute top-0.5 z-20 grid w-max max-w-[min(420px,70%)] gap-1 rounded-base border border-line bg-paper px-3 py-2 text-small shadow-xl ${
        isPinned ? "" : "pointer-events-none"
      }`}
      style={isInLeftHalf ? { left: left + noteGap } : { right: `calc(100% - ${Math.min(left, width) - noteGap}px)` }}
    >
      {marks.slice(-maxNoted).map((mark) => (
        <li key={`${mark.kind} ${mark.id} ${mark.at}`} className="flex items-baseline gap-2 break-words">
          <MarkShape kind={mark.kind} />
          <span className="min-w-0">
            {isPinned ? <MarkLink mark={mark} slug={slug}>{textOf(mark)}</MarkLink> : textOf(mark)}
          </span>
        </li>
      ))}
      {marks.length > maxNoted && <li className="text-soft">{common.more(String(marks.length - maxNoted))}</li>}
    </ul>
  )
}

/** The marks of a chart as flags at its top edge, each with a line through the chart; one stop of Tab. */
export const MarkRow = ({ format, frame, shown: { marks, slug } }: {
  readonly frame: Frame
  readonly shown: ShownMarks
  readonly format: Format
}) => {
  const { overview: { marks: texts } } = useTexts()
  const textOf = useMarkText(format)
  const [open, setOpen] = useState<{ readonly index: number; readonly isPinned: boolean } | null>(null)
  const scale = frame.width / Math.max(1, frame.to - frame.from)
  /** What began before the chart, or in its last bucket, is at its edge. */
  const placeAt = (time: number) => frame.left + (Math.min(Math.max(time, frame.from), frame.to) - frame.from) * scale
  const placeOf = ({ at }: Mark) => placeAt(Date.parse(at))
  const clusters = clusterMarks(marks, placeOf, flagGap)
  const shownCluster = open === null ? undefined : clusters[open.index]
  const leave = () => setOpen((known) => (known?.isPinned === true ? known : null))
  if (marks.length === 0) return null
  return (
    <div
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(null)
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(null)
      }}
    >
      {marks.map((mark) =>
        mark.kind === "maintenance" && mark.until !== null && (
          <div
            key={mark.id}
            className="pointer-events-none absolute bg-ink/5"
            style={{
              left: placeOf(mark),
              width: Math.max(1, placeAt(Date.parse(mark.until)) - placeOf(mark)),
              top: frame.top,
              height: frame.height
            }}
          />
        )
      )}
      <Toolbar label={texts.title} className="contents">
        {clusters.map(({ left, marks }, index) => {
          const kind = markKinds.find((one) => marks.some((mark) => mark.kind === one)) ?? "command"
          return (
            <div key={`${marks[0]?.kind} ${marks[0]?.id} ${marks[0]?.at}`}>
              <div
                className={`pointer-events-none absolute w-px ${
                  open?.index === index ? "bg-ink" : "bg-line-strong opacity-60"
                }`}
                style={{ left, top: frame.top, height: frame.height }}
              />
              <button
                type="button"
                aria-label={marks.map(textOf).join("; ")}
                aria-expanded={open?.index === index && open.isPinned}
                className="absolute z-10 inline-flex h-5 w-5 items-center justify-center rounded-small text-soft hover:text-ink"
                style={{ left: left - 10, top: frame.top - 18 }}
                onMouseEnter={() => setOpen((known) => (known?.isPinned === true ? known : { index, isPinned: false }))}
                onMouseLeave={leave}
                onFocus={() => setOpen((known) => (known?.index === index ? known : { index, isPinned: false }))}
                onClick={() => setOpen((known) => ({ index, isPinned: known?.index !== index || !known.isPinned }))}
              >
                <MarkShape kind={kind} />
                {marks.length > 1 && (
                  <span className="figures absolute -top-0.5 left-3.5 text-[9px] leading-none">{marks.length}</span>
                )}
              </button>
            </div>
          )
        })}
      </Toolbar>
      {shownCluster !== undefined && (
        <MarkNote
          cluster={shownCluster}
          frame={frame}
          isPinned={open?.isPinned === true}
          slug={slug}
          textOf={textOf}
        />
      )}
    </div>
  )
}
